#include "image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table/layout.h"

typedef struct {
    unsigned char *base;
    table_geometry g;
    uint64_t seed, first_token;
    table_bucket *bucket;
    table_entry *entry;
    table_record *record;
} view;

static bool view_open(view *v, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size < HEADER_SIZE) {
        return false;
    }
    v->base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    const table_header *header = (const table_header *)v->base;
    geometry_init(&v->g, header->capacity);
    v->seed = header->seed;
    v->first_token = header->first_token;
    v->bucket = (table_bucket *)(v->base + v->g.bucket);
    v->entry = (table_entry *)(v->base + v->g.entry);
    v->record = (table_record *)(v->base + v->g.record);
    return v->g.size == (uint64_t)st.st_size;
}

static void view_close(view *v)
{
    munmap(v->base, v->g.size);
}

static void name_of(const view *v, uint32_t index, fl_name *name)
{
    const table_entry *entry = &v->entry[index];
    const table_rest *rest = (const table_rest *)(v->base + v->g.rest) + index;
    memset(name, 0, sizeof *name);
    name->length = home_length(entry->home);
    for (size_t i = 0; i < name_words(name->length); i++) {
        name->words[i] = i < HEAD_WORDS ? entry->head[i] : rest->word[i - HEAD_WORDS];
    }
    name->hash = name_hash(name, v->seed);
}

static const table_entry *find(const view *v, const fl_name *name)
{
    const table_bucket *bucket = &v->bucket[name->hash & (v->g.buckets - 1)];
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t way = bucket->way[i];
        fl_name there;
        if (way_state(way) == WAY_VALID && way_entry(way) < v->g.capacity) {
            name_of(v, way_entry(way), &there);
            if (name_equal(&there, name)) {
                return &v->entry[way_entry(way)];
            }
        }
    }
    return NULL;
}

bool image_of_lease(const char *path, const char *name, lease_image *image)
{
    view v;
    fl_name packed;
    if (!view_open(&v, path)) {
        return false;
    }
    name_pack(&packed, name, strlen(name), v.seed);
    const table_entry *entry = find(&v, &packed);
    uint32_t owner = entry ? word_record(entry->word) : 0;
    if (owner) {
        const table_record *r = &v.record[owner];
        *image = (lease_image){
            entry->word & ~WORD_FLAGS, v.first_token + r->token, r->since, r->ttl, {r->secret[0], r->secret[1]}};
    }
    view_close(&v);
    return owner != 0;
}

bool image_of_binding(const char *path, char *text, size_t size)
{
    view v;
    bool found = false;
    if (!view_open(&v, path)) {
        return false;
    }
    for (uint32_t e = 0; e < v.g.capacity && !found; e++) {
        fl_name name;
        found = word_is_binding(v.entry[e].word) && v.entry[e].home != 0;
        name_of(&v, e, &name);
        snprintf(text, size, "%.*s", (int)name.length, (const char *)name.words);
    }
    view_close(&v);
    return found;
}

static uint64_t bucket_of_text(const view *v, const char *text)
{
    fl_name name;
    name_pack(&name, text, strlen(text), v->seed);
    return name.hash & (v->g.buckets - 1);
}

bool image_neighbour(const char *path, const char *name, const char *prefix, int *n, char *neighbour, size_t size)
{
    view v;
    if (!view_open(&v, path)) {
        return false;
    }
    do {
        snprintf(neighbour, size, "%s%d", prefix, ++*n);
    } while (bucket_of_text(&v, neighbour) != bucket_of_text(&v, name));
    view_close(&v);
    return true;
}

static void count_way(const view *v, uint32_t bucket, size_t i, table_counts *counts)
{
    uint64_t way = v->bucket[bucket].way[i];
    fl_name name, other;
    if (way_state(way) != WAY_VALID) {
        return;
    }
    counts->names++;
    if (way_entry(way) >= v->g.capacity) {
        counts->strays++;
        return;
    }
    name_of(v, way_entry(way), &name);
    counts->strays += (name.hash & (v->g.buckets - 1)) != bucket || !way_matches(way, WAY_VALID, name.hash);
    for (size_t j = 0; j < i; j++) {
        uint64_t earlier = v->bucket[bucket].way[j];
        if (way_state(earlier) == WAY_VALID && way_entry(earlier) < v->g.capacity) {
            name_of(v, way_entry(earlier), &other);
            counts->twins += way_entry(earlier) == way_entry(way) || name_equal(&name, &other);
        }
    }
}

static void count_owners(const view *v, table_counts *counts)
{
    const _Atomic uint32_t *own = (const _Atomic uint32_t *)(v->base + v->g.own);
    const _Atomic uint64_t *pub = (const _Atomic uint64_t *)(v->base + v->g.pub);
    const table_slot *slot = (const table_slot *)(v->base + v->g.slot);
    for (uint32_t e = 0; e < v->g.capacity; e++) {
        counts->owned += word_record(v->entry[e].word) != 0;
    }
    for (uint32_t r = 0; r < v->g.records; r++) {
        counts->records += own[r] != 0;
        counts->waiting += r <= v->g.cells && pub[r] != 0;
    }
    for (uint32_t s = 0; s < v->g.slots; s++) {
        counts->slots += slot[s].state == SLOT_USED;
    }
}

static void count_awake(const view *v, table_counts *counts)
{
    const _Atomic uint64_t *pub = (const _Atomic uint64_t *)(v->base + v->g.pub);
    const table_record *record = (const table_record *)(v->base + v->g.record), *first = NULL;
    for (uint32_t r = 1; r <= v->g.cells; r++) {
        if (!cell_waits(pub[r])) {
            continue;
        }
        counts->awake += record[r].awake != 0;
        if (first == NULL || (int32_t)(record[r].ticket - first->ticket) < 0) {
            first = &record[r];
        }
    }
    counts->first_awake = first != NULL && first->awake != 0;
    counts->calls = first != NULL ? first->futex : 0;
}

bool image_count(const char *path, table_counts *counts)
{
    view v;
    memset(counts, 0, sizeof *counts);
    if (!view_open(&v, path)) {
        return false;
    }
    for (uint32_t b = 0; b < v.g.buckets; b++) {
        for (size_t i = 0; i < WAYS; i++) {
            count_way(&v, b, i, counts);
        }
    }
    count_owners(&v, counts);
    count_awake(&v, counts);
    view_close(&v);
    return true;
}

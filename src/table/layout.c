#include "layout.h"

static uint64_t reserve(uint64_t *at, uint64_t size)
{
    uint64_t start = *at;
    *at = (start + size + LINE - 1) / LINE * LINE;
    return start;
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? least : value;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

/*
 * Four buckets per name: with all names held, an eighth one in any bucket happens to 1 table in 50,000 (with two: in 500). Records: one
 * per name that is held, one for each that waits, and four for each attached process to keep ready.
 */
void geometry_init(table_geometry *g, uint32_t capacity)
{
    uint64_t at = HEADER_SIZE;
    g->capacity = capacity;
    g->slots = at_least(capacity / 4, 1024);
    g->cells = at_least(capacity, 1024);
    g->records = 1 + g->cells + capacity + 4 * g->slots;
    g->buckets = power_of_two(4 * capacity);
    g->slot = reserve(&at, (uint64_t)g->slots * sizeof(table_slot));
    g->own = reserve(&at, (uint64_t)g->records * sizeof(uint32_t));
    g->pin = reserve(&at, (uint64_t)g->records * sizeof(uint16_t));
    g->pub = reserve(&at, (uint64_t)(1 + g->cells) * sizeof(uint64_t));
    g->record = reserve(&at, (uint64_t)g->records * sizeof(table_record));
    g->bucket = reserve(&at, (uint64_t)g->buckets * sizeof(table_bucket));
    g->entry = reserve(&at, (uint64_t)capacity * sizeof(table_entry));
    g->rest = reserve(&at, (uint64_t)capacity * sizeof(table_rest));
    g->size = (at + HEADER_SIZE - 1) / HEADER_SIZE * HEADER_SIZE;
}

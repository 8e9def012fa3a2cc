#include "contract.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const contract_store contract_stores[] = {
#define STORE(title, dsn) {title, dsn},
#include "stores.h"
#undef STORE
};
const size_t contract_store_count = COUNT(contract_stores);

static const contract_store *now;
static unsigned capabilities;

const char *the_directory(void)
{
    return scratch("s");
}

const char *the_dsn(void)
{
    static char text[512];
    snprintf(text, sizeof text, now->dsn, the_directory());
    return text;
}

bool it_can(unsigned wanted)
{
    return (capabilities & wanted) == wanted;
}

double its_grace(double ttl)
{
    fl_store *store = open_it();
    double grace = fl_grace(store, ttl);
    fl_close(store);
    return grace;
}

int contract_begin(void **state)
{
    if (suite_begin(state) != 0) {
        return -1;
    }
    return mkdir(the_directory(), 0755);
}

fl_store *open_it(void)
{
    return open_store(the_dsn());
}

void open_peer(peer *p)
{
    peer_open(p, the_dsn());
}

void expect_held_by(peer *p, const peer *holder, const char *name)
{
    EXPECT(p, "ok", "status %s", name);
    double pid = peer_number(p, "pid=");
    assert_true(pid == holder->pid || pid == -1);
    assert_true(peer_number(p, "holders=") == 1);
    assert_true(peer_number(p, "mine=") == 0);
}

/* ---- what is in a directory */

static void describe(FILE *out, const char *path, const struct stat *st)
{
    fprintf(out, "%s %o %u %u %llu %lld %lld.%09ld %lld.%09ld ", path, st->st_mode, st->st_uid, st->st_gid,
            (unsigned long long)st->st_ino, (long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
            (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

/* A mapped file has no time of its last change: its bytes. */
static void describe_contents(FILE *out, const char *path)
{
    size_t size;
    uint64_t sum = 0;
    char *bytes = read_file(path, &size);
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3;
    }
    free(bytes);
    fprintf(out, "%llx", (unsigned long long)sum);
}

static void describe_tree(FILE *out, const char *path);

static void describe_entries(FILE *out, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        char below[4096];
        snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0) {
            describe_tree(out, below);
        }
        free(entries[i]);
    }
    free(entries);
}

static void describe_tree(FILE *out, const char *path)
{
    struct stat st;
    char target[512] = "";
    assert_int_equal(lstat(path, &st), 0);
    describe(out, path, &st);
    if (S_ISREG(st.st_mode)) {
        describe_contents(out, path);
    } else if (S_ISLNK(st.st_mode) && readlink(path, target, sizeof target - 1) > 0) {
        fprintf(out, "%s", target);
    }
    fputc('\n', out);
    if (S_ISDIR(st.st_mode)) {
        describe_entries(out, path);
    }
}

char *snapshot(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    describe_tree(out, the_directory());
    fclose(out);
    return text;
}

/* ---- all groups with all stores */

static bool hidden; /* the store cannot say who holds a lock */

static void its_holders_are_hidden_here(void **state)
{
    (void)state;
    SKIP("a container: not all processes are seen");
}

void contract_run(const char *group, const contract_case *cases, size_t count)
{
    static const struct CMUnitTest none[] = {cmocka_unit_test(its_holders_are_hidden_here)};
    struct CMUnitTest tests[64];
    char name[128];
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        if (it_can(cases[i].needs) && (cases[i].lacks == 0 || !it_can(cases[i].lacks))) {
            tests[chosen++] = cases[i].test;
        }
    }
    snprintf(name, sizeof name, "%s %s", now->title, group);
    if (hidden) {
        suite_run(name, none, COUNT(none));
    } else if (chosen > 0) {
        suite_run(name, tests, chosen);
    }
}

#define GROUP(name) void contract_##name(void);
#include "contract_groups.h"
#undef GROUP

static void (*const groups[])(void) = {
#define GROUP(name) contract_##name,
#include "contract_groups.h"
#undef GROUP
};

/* In a container the kernel does not show who holds a flock, and such a store cannot say it. */
static bool is_hidden(const contract_store *store)
{
    fl_error error = {.code = 0};
    fl_status_t status;
    char directory[] = "/tmp/filelock-contract-XXXXXX", file[64], text[128];
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/x.lock", directory);
    snprintf(text, sizeof text, store->dsn, directory);
    write_file(file, "", 0);
    fl_store *opened = open_store(text);
    fl_result result = fl_status(opened, "x", 1, &status, &error);
    fl_close(opened);
    unlink(file);
    rmdir(directory);
    return result == FL_ERROR && error.code == ENOTSUP;
}

static void choose(const contract_store *store)
{
    fl_error error;
    fl_store *opened;
    char text[128];
    now = store;
    snprintf(text, sizeof text, store->dsn, "/nowhere");
    if (fl_open(text, &opened, &error) != FL_OK) {
        fprintf(stderr, "%s: %s\n", text, error.message);
        exit(1);
    }
    capabilities = fl_capabilities(opened);
    fl_close(opened);
    hidden = is_hidden(store);
}

static bool is_wanted(const char *title, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], title) == 0) {
            return true;
        }
    }
    return argc == 1;
}

static bool is_a_store(const char *title)
{
    for (size_t i = 0; i < COUNT(contract_stores); i++) {
        if (strcmp(contract_stores[i].title, title) == 0) {
            return true;
        }
    }
    return false;
}

static size_t chosen[COUNT(contract_stores)], chosen_count;

static void run_job(size_t number, tally *counts)
{
    choose(&contract_stores[chosen[number / COUNT(groups)]]);
    groups[number % COUNT(groups)]();
    *counts = suite_sum();
}

/* contract [--matrix | TITLE…] */
int main(int argc, char **argv)
{
    static const struct CMUnitTest manual[] = {cmocka_unit_test(the_manual_has_the_matrix)};
    if (argc == 2 && strcmp(argv[1], "--matrix") == 0) {
        matrix_print();
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < COUNT(contract_stores); i++) {
        if (is_wanted(contract_stores[i].title, argc, argv)) {
            chosen[chosen_count++] = i;
        }
    }
    for (int i = 1; i < argc; i++) {
        if (!is_a_store(argv[i])) {
            fprintf(stderr, "contract: there is no store \"%s\" in stores.h\n", argv[i]);
            return 2;
        }
    }
    tally sum = lanes_run(chosen_count * COUNT(groups), run_job);
    suite_run("manual", manual, COUNT(manual));
    matrix_print();
    return suite_close((tally){sum.ran + suite_sum().ran, sum.failed + suite_sum().failed, sum.skipped});
}

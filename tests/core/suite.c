#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WATCHDOG_SECONDS = 120, EXIT_SKIPPED = 77 };

static char base[128];
static unsigned ran, failed, skipped;
bool suite_on_disk;

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    remove(path);
    return 0;
}

static void watchdog(int signal)
{
    static const char text[] = "the test hangs\n";
    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(4);
    }
    _exit(3);
}

int suite_begin(void **state)
{
    const char *parent = suite_on_disk || access("/dev/shm", W_OK) != 0 ? "/var/tmp" : "/dev/shm";
    (void)state;
    snprintf(base, sizeof base, "%s/filelock-test-XXXXXX", parent);
    signal(SIGALRM, watchdog);
    alarm(WATCHDOG_SECONDS);
    return mkdtemp(base) ? chmod(base, 0755) : -1;
}

int suite_end(void **state)
{
    (void)state;
    peers_end();
    alarm(0);
    nftw(base, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}

void suite_run(const char *name, const struct CMUnitTest *tests, size_t count)
{
    ran += count;
    failed += (unsigned)_cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

void suite_skip(const char *reason)
{
    skipped++;
    fprintf(stderr, "SKIP: %s\n", reason);
}

void need_root(void)
{
    if (geteuid() != 0) {
        SKIP("needs root");
    }
}

void private_mounts(void)
{
    need_root();
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        SKIP("no mount namespaces here");
    }
}

static const char *format_path(const char *prefix, const char *format, va_list arguments)
{
    static char ring[16][512];
    static unsigned next;
    char *path = ring[next++ % COUNT(ring)];
    int length = snprintf(path, sizeof ring[0], "%s%s/", prefix, base);
    vsnprintf(path + length, sizeof ring[0] - (size_t)length, format, arguments);
    return path;
}

const char *scratch(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *path = format_path("", format, arguments);
    va_end(arguments);
    return path;
}

const char *dsn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_path("table:", format, arguments);
    va_end(arguments);
    return text;
}

void result_at(const char *file, int line, fl_result want, fl_result got, const fl_error *error)
{
    static const char *const names[] = {"OK", "BUSY", "FREE", "LOST", "SELF", "INTERRUPTED", "ERROR"};
    if (got != want) {
        print_error("FL_%s instead of FL_%s %s\n", names[got], names[want],
                    got == FL_ERROR && error ? error->message : "");
        _fail(file, line);
    }
}

fl_store *open_store(const char *text)
{
    fl_error error;
    fl_store *store = NULL;
    RESULT_OR(FL_OK, fl_open(text, &store, &error), &error);
    assert_non_null(store);
    return store;
}

void try_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, const char *name, double ttl)
{
    fl_error error = {.message = ""};
    *lease = (fl_lease)FL_LEASE_INIT;
    result_at(file, line, want, fl_try(store, lease, name, strlen(name), ttl, &error), &error);
}

void assert_error(const fl_error *error, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strstr(error->message, words[i])) {
            fail_msg("\"%s\" does not say \"%s\"", error->message, words[i]);
        }
    }
}

/* What was executed, before an end that would not write it down. */
static void note_coverage(void)
{
#ifdef FL_TEST_COVERAGE
    extern void __gcov_dump(void);
    __gcov_dump();
#endif
}

static _Noreturn void be_child(void (*work)(void **state))
{
    const struct CMUnitTest test[] = {{"in a child", work, NULL, NULL, NULL}};
    unsigned before = skipped;
    if (!freopen("/dev/null", "w", stdout)) {
        _exit(1);
    }
    int bad = _cmocka_run_group_tests("child", test, 1, NULL, NULL);
    note_coverage();
    _exit(bad ? 1 : skipped > before ? EXIT_SKIPPED : 0);
}

void in_child(void (*work)(void **state))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        be_child(work);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
        SKIP("see above");
    }
    assert_int_equal(status, 0);
}

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int64_t coarse_now(void)
{
    return now(CLOCK_MONOTONIC_COARSE);
}

int64_t precise_now(void)
{
    return now(CLOCK_MONOTONIC);
}

char *read_file(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    char *bytes = malloc((size_t)st.st_size + 1);
    *size = 0;
    for (ssize_t got; (got = read(fd, bytes + *size, (size_t)st.st_size - *size)) > 0;) {
        *size += (size_t)got;
    }
    close(fd);
    assert_int_equal(*size, st.st_size);
    return bytes;
}

void write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

int entries_in(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

tally suite_sum(void)
{
    return (tally){ran, failed, skipped};
}

int suite_close(tally sum)
{
    printf("%u passed, %u failed, %u skipped\n", sum.ran - sum.failed - sum.skipped, sum.failed, sum.skipped);
    return sum.failed || sum.ran == 0 ? 1 : 0;
}

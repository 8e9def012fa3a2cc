/* phpinfo() and php --ri filelock. */
#include "php_filelock.h"

#include <inttypes.h>

#include "ext/standard/info.h"

static void row(const char *title, const char *format, ...)
{
    char value[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    php_info_print_table_row(2, title, value);
}

/* A store without a table has no limit of names, and does not know who only waits. */
static void print_table(const fl_info *info)
{
    row("Capacity", "%u names", info->capacity);
    row("Size", "%.1f MiB", (double)info->bytes / (1 << 20));
    row("Attached", "%u processes and threads", info->attached);
}

static void print_store(const fl_info *info)
{
    row("Path in use", "%s%s", info->path, info->exists ? "" : " (not created yet: the first lock creates it)");
    row("Shared with", "%s", info->shared_with);
    row("Mode", "%04o", info->mode);
    if (info->capacity > 0)
        print_table(info);
    row("Locks held", "%u", info->held);
    if (info->capacity > 0)
        row("Waiting", "%u", info->waiting);
}

/* Since the store was made, of all processes. */
static void print_counters(const fl_stats *stats)
{
    row("Leases granted", "%" PRIu64, stats->acquired);
    row("Busy", "%" PRIu64, stats->busy);
    row("Waited", "%" PRIu64 " times, %.3f s", stats->waited, (double)stats->waited_ns / 1e9);
    row("Expired", "%" PRIu64, stats->expired);
    row("Recovered from the dead", "%" PRIu64, stats->recovered);
    row("Broken", "%" PRIu64, stats->broken);
    row("Lost", "%" PRIu64, stats->lost);
}

/* Throws nothing: a page that shows what is wrong must not fail for it. */
static void print_default_store(void)
{
    php_filelock_opened *opened;
    fl_info info;
    fl_stats stats;
    fl_error error;
    fl_result result = php_filelock_resolve(&opened, &error);
    if (result == FL_OK)
        result = fl_inspect(opened->store, &info, &error);
    if (result != FL_OK) {
        row("Store is unusable", "%s", error.message);
        return;
    }
    print_store(&info);
    if (fl_get_stats(opened->store, &stats, &error) == FL_OK)
        print_counters(&stats);
}

PHP_MINFO_FUNCTION(filelock)
{
    php_info_print_table_start();
    row("filelock", "enabled");
    row("Version", "%s", PHP_FILELOCK_VERSION);
    row("Stores compiled in", "table:, dir:, file:");
    print_default_store();
    php_info_print_table_end();
    DISPLAY_INI_ENTRIES();
}

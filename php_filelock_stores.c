/*
 * The stores that this thread has opened.
 *
 * Those that the setting names stay open from request to request, since opening one anew would cost system calls; others go when
 * nobody uses them at the end of a request. They are found by DSN and effective user: PHP-FPM can change filelock.store from one
 * request to the next, and a process can change its user.
 *
 * A request stays with the store that it resolved at its first use as long as it holds a lease there.
 */
#include "php_filelock.h"

#include <unistd.h>

/* So many stores that the setting has named stay open, since a later request of the same host will want them. */
#define KEEP_IDLE 8

static php_filelock_opened *find(const char *dsn, uid_t uid)
{
    for (php_filelock_opened **link = &FILELOCK_G(opened); *link != NULL; link = &(*link)->next) {
        php_filelock_opened *opened = *link;
        if (opened->uid == uid && strcmp(opened->dsn, dsn) == 0) {
            *link = opened->next;
            return opened;
        }
    }
    return NULL;
}

static php_filelock_opened *make(const char *dsn, uid_t uid, fl_store *store)
{
    size_t size = strlen(dsn) + 1;
    php_filelock_opened *opened = calloc(1, sizeof *opened + size);
    fl_holdings *holdings = fl_holdings_new(store);
    if (opened == NULL || holdings == NULL) {
        free(opened);
        fl_holdings_free(holdings);
        return NULL;
    }
    opened->store = store;
    opened->holdings = holdings;
    opened->uid = uid;
    memcpy(opened->dsn, dsn, size);
    return opened;
}

static fl_result open_new(const char *dsn, uid_t uid, php_filelock_opened **opened, fl_error *error)
{
    fl_store *store;
    fl_result result = fl_open(dsn, &store, error);
    if (result != FL_OK)
        return result;
    *opened = make(dsn, uid, store);
    if (*opened != NULL)
        return FL_OK;
    fl_close(store);
    *error = (fl_error){.fault = FL_WORLD_FAILED, .message = "out of memory for another store"};
    return FL_ERROR;
}

fl_result php_filelock_open(const char *dsn, php_filelock_opened **opened, fl_error *error)
{
    uid_t uid = geteuid();
    *opened = find(dsn, uid);
    fl_result result = *opened != NULL ? FL_OK : open_new(dsn, uid, opened, error);
    if (result == FL_OK) {
        (*opened)->next = FILELOCK_G(opened);
        FILELOCK_G(opened) = *opened;
    }
    return result;
}

const char *php_filelock_default_dsn(void)
{
    return *FILELOCK_G(store) != '\0' ? FILELOCK_G(store) : "table:";
}

fl_result php_filelock_resolve(php_filelock_opened **opened, fl_error *error)
{
    fl_result result = FL_OK;
    if (FILELOCK_G(current) == NULL)
        result = php_filelock_open(php_filelock_default_dsn(), &FILELOCK_G(current), error);
    *opened = FILELOCK_G(current);
    if (result == FL_OK)
        FILELOCK_G(current)->by_setting = true;
    return result;
}

php_filelock_opened *php_filelock_current(void)
{
    php_filelock_opened *opened;
    fl_error error;
    fl_result result = php_filelock_resolve(&opened, &error);
    if (result == FL_OK)
        return opened;
    php_filelock_throw(result, &error, NULL, (php_filelock_arguments){0});
    return NULL;
}

php_filelock_opened *php_filelock_current_for_taking(void)
{
    php_filelock_opened *opened = php_filelock_current();
    if (opened != NULL)
        php_filelock_tell_label(opened);
    return opened;
}

fl_holdings *php_filelock_first_holdings(void)
{
    php_filelock_opened *opened = php_filelock_current_for_taking();
    FILELOCK_G(holdings) = opened != NULL ? opened->holdings : NULL;
    return FILELOCK_G(holdings);
}

void php_filelock_forget_current(void)
{
    FILELOCK_G(holdings) = NULL;
    FILELOCK_G(current) = NULL;
    for (php_filelock_opened *opened = FILELOCK_G(opened); opened != NULL; opened = opened->next)
        opened->labelled = false;
}

bool php_filelock_user_changed(void)
{
    php_filelock_opened *current = FILELOCK_G(current);
    if (current == NULL || current->uid == geteuid())
        return false;
    if (FILELOCK_G(works) != NULL || fl_holdings_count(current->holdings) > 0)
        return false;
    php_filelock_forget_current();
    return true;
}

static void dispose(php_filelock_opened *opened)
{
    fl_holdings_free(opened->holdings);
    fl_close(opened->store);
    free(opened);
}

void php_filelock_close_idle(void)
{
    int idle = 0;
    for (php_filelock_opened **link = &FILELOCK_G(opened); *link != NULL;) {
        php_filelock_opened *opened = *link;
        if (opened->users > 0 || (opened->by_setting && ++idle <= KEEP_IDLE)) {
            link = &opened->next;
            continue;
        }
        *link = opened->next;
        dispose(opened);
    }
}

void php_filelock_close_all(php_filelock_opened *opened)
{
    while (opened != NULL) {
        php_filelock_opened *next = opened->next;
        dispose(opened);
        opened = next;
    }
}

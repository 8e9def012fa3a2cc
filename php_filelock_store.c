/* Class FileLock\Store: a store to look at and to administer. What makes locks is in php_filelock_lock.c and beside it. */
#include "php_filelock.h"

#include <errno.h>

#include "zend_exceptions.h"

#include "src/dsn.h"

typedef struct {
    php_filelock_opened *opened; /* NULL until the constructor has run */
    zend_object std;
} store_object;

zend_class_entry *php_filelock_ce_store;
static zend_object_handlers store_handlers;

static inline store_object *store_from(zend_object *object)
{
    return (store_object *)((char *)object - offsetof(store_object, std));
}

static zend_object *create_store(zend_class_entry *ce)
{
    store_object *object = zend_object_alloc(sizeof *object, ce);
    object->opened = NULL;
    zend_object_std_init(&object->std, ce);
    object_properties_init(&object->std, ce);
    object->std.handlers = &store_handlers;
    return &object->std;
}

/* The store itself stays open; the end of the request closes it if there are too many. */
static void free_store(zend_object *object)
{
    php_filelock_opened *opened = store_from(object)->opened;
    if (opened != NULL)
        opened->users--;
    zend_object_std_dtor(object);
}

void php_filelock_store_init(zend_class_entry *ce)
{
    php_filelock_ce_store = ce;
    ce->create_object = create_store;
    memcpy(&store_handlers, zend_get_std_object_handlers(), sizeof store_handlers);
    store_handlers.offset = offsetof(store_object, std);
    store_handlers.free_obj = free_store;
    store_handlers.clone_obj = NULL;
    store_handlers.compare = zend_objects_not_comparable;
}

php_filelock_opened *php_filelock_opened_of(zval *object)
{
    php_filelock_opened *opened = store_from(Z_OBJ_P(object))->opened;
    if (UNEXPECTED(opened == NULL))
        zend_throw_error(NULL, "FileLock\\Store has not been constructed");
    return opened;
}

static fl_store *store_of(zval *object)
{
    php_filelock_opened *opened = php_filelock_opened_of(object);
    return opened != NULL ? opened->store : NULL;
}

/* ---- opening */

/* A path that comes from a script; one in php.ini is the administrator's. */
static bool is_path_allowed(const char *dsn)
{
    fl_dsn parts;
    fl_error error;
    if (PG(open_basedir) == NULL || *PG(open_basedir) == '\0' || strcmp(dsn, php_filelock_default_dsn()) == 0)
        return true;
    if (dsn_parse(dsn, &parts, &error) != FL_OK)
        return false;
    if (parts.path[0] == '\0')
        fl_default_directory(parts.path, sizeof parts.path);
    if (php_check_open_basedir_ex(parts.path, 0) == 0)
        return true;
    zend_throw_exception_ex(
        php_filelock_ce_exception, EPERM,
        "open_basedir does not allow the store's path %s; take a directory that it allows, or name this one in "
        "the setting filelock.store",
        parts.path);
    return false;
}

static php_filelock_opened *open_by_dsn(const char *dsn)
{
    php_filelock_opened *opened;
    fl_error error;
    fl_result result = php_filelock_open(dsn, &opened, &error);
    if (result == FL_OK)
        return is_path_allowed(dsn) ? opened : NULL;
    php_filelock_throw(result, &error, NULL, (php_filelock_arguments){[FL_ARG_DSN] = 1});
    return NULL;
}

ZEND_METHOD(FileLock_Store, __construct)
{
    zend_string *dsn = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR_OR_NULL(dsn)
    ZEND_PARSE_PARAMETERS_END();

    store_object *object = store_from(Z_OBJ_P(ZEND_THIS));
    if (object->opened != NULL) {
        zend_throw_error(NULL, "Cannot call the constructor of FileLock\\Store twice");
        RETURN_THROWS();
    }
    php_filelock_opened *opened = dsn != NULL ? open_by_dsn(ZSTR_VAL(dsn)) : php_filelock_current();
    if (opened == NULL)
        RETURN_THROWS();
    opened->users++;
    object->opened = opened;
}

/* ---- looking */

ZEND_METHOD(FileLock_Store, status)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    fl_store *store = store_of(ZEND_THIS);
    if (store == NULL)
        RETURN_THROWS();
    fl_status_t status;
    fl_error error;
    fl_result result = fl_status(store, ZSTR_VAL(name), ZSTR_LEN(name), &status, &error);
    php_filelock_return_status(result, &status, &error, return_value);
}

ZEND_METHOD(FileLock_Store, list)
{
    zend_string *prefix = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();

    fl_store *store = store_of(ZEND_THIS);
    if (store == NULL)
        RETURN_THROWS();
    php_filelock_return_list(store, prefix, return_value);
}

ZEND_METHOD(FileLock_Store, break)
{
    zend_string *name;
    zend_long token;

    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(token)
    ZEND_PARSE_PARAMETERS_END();

    fl_store *store = store_of(ZEND_THIS);
    if (store == NULL)
        RETURN_THROWS();
    fl_error error;
    fl_result result = fl_break(store, ZSTR_VAL(name), ZSTR_LEN(name), token, &error);
    if (result != FL_ERROR)
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, name, (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TOKEN] = 2});
    RETURN_THROWS();
}

typedef struct {
    zval *array;
    bool bailed_out;
} findings;

/* The memory limit must not jump over the core. */
static void add_finding(void *context, const char *finding)
{
    findings *all = context;
    if (all->bailed_out)
        return;
    zend_try
    {
        add_next_index_string(all->array, finding);
    }
    zend_catch
    {
        all->bailed_out = true;
    }
    zend_end_try();
}

ZEND_METHOD(FileLock_Store, check)
{
    ZEND_PARSE_PARAMETERS_NONE();

    fl_store *store = store_of(ZEND_THIS);
    if (store == NULL)
        RETURN_THROWS();
    findings all = {.array = return_value};
    fl_error error;
    array_init(return_value);
    fl_result result = fl_check(store, add_finding, &all, &error);
    if (UNEXPECTED(all.bailed_out))
        zend_bailout();
    if (EXPECTED(result != FL_ERROR))
        return;
    zend_array_destroy(Z_ARR_P(return_value));
    ZVAL_NULL(return_value);
    php_filelock_throw(result, &error, NULL, (php_filelock_arguments){0});
}

ZEND_METHOD(FileLock_Store, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();

    fl_store *store = store_of(ZEND_THIS);
    if (store == NULL)
        RETURN_THROWS();
    fl_stats stats;
    fl_error error;
    if (fl_get_stats(store, &stats, &error) != FL_OK) {
        php_filelock_throw(FL_ERROR, &error, NULL, (php_filelock_arguments){0});
        RETURN_THROWS();
    }
    array_init(return_value);
    add_assoc_long(return_value, "acquired", (zend_long)stats.acquired);
    add_assoc_long(return_value, "busy", (zend_long)stats.busy);
    add_assoc_long(return_value, "waited", (zend_long)stats.waited);
    add_assoc_double(return_value, "waited_seconds", (double)stats.waited_ns / 1e9);
    add_assoc_long(return_value, "expired", (zend_long)stats.expired);
    add_assoc_long(return_value, "recovered", (zend_long)stats.recovered);
    add_assoc_long(return_value, "broken", (zend_long)stats.broken);
    add_assoc_long(return_value, "lost", (zend_long)stats.lost);
}

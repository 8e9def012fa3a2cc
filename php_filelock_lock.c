/* Class FileLock\Lock, and the methods of FileLock\Store that make one. */
#include "php_filelock_lease.h"

#include <math.h>

#include "zend_exceptions.h"

#include "src/name.h"
#include "src/os.h"
#include "src/policy.h"

zend_class_entry *php_filelock_ce_lock;

void php_filelock_lock_init(zend_class_entry *ce)
{
    php_filelock_ce_lock = ce;
    php_filelock_lease_init(ce);
}

/* ---- making one */

ZEND_METHOD(FileLock_Store, lock)
{
    zend_string *name;
    double ttl;
    bool ttl_is_null = true, auto_release = true;

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
        Z_PARAM_BOOL(auto_release)
    ZEND_PARSE_PARAMETERS_END();

    if (ttl_is_null)
        ttl = FILELOCK_G(ttl);
    php_filelock_opened *opened = php_filelock_opened_of(ZEND_THIS);
    if (opened == NULL || !php_filelock_check(opened->store, name, ttl, ttl_is_null ? 0 : 2))
        RETURN_THROWS();
    if (isinf(ttl) && !auto_release) {
        zend_argument_value_error(2, "must be finite if $autoRelease is false: nothing else would end the lock");
        RETURN_THROWS();
    }
    php_filelock_lease_make(return_value, php_filelock_ce_lock, opened, name, ttl)->auto_release = auto_release;
}

ZEND_METHOD(FileLock_Store, restore)
{
    zend_string *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_opened *opened = php_filelock_opened_of(ZEND_THIS);
    if (opened == NULL)
        RETURN_THROWS();
    fl_error error;
    php_filelock_tell_label(opened);
    php_filelock_lease *mine =
        php_filelock_lease_make(return_value, php_filelock_ce_lock, opened, ZSTR_EMPTY_ALLOC(), 0);
    fl_result result = fl_restore(opened->store, &mine->lease, ZSTR_VAL(key), ZSTR_LEN(key), &error);
    if (result == FL_OK) {
        char name[FL_NAME_MAX + 1];
        mine->ttl = (double)mine->lease.ttl / 1e9;
        mine->name = zend_string_init(name, name_unpack(&mine->lease.name, name), false);
        return;
    }
    zval_ptr_dtor(return_value);
    ZVAL_NULL(return_value);
    if (result != FL_FREE)
        php_filelock_throw(result, &error, NULL, (php_filelock_arguments){0});
}

/* ---- methods */

ZEND_METHOD(FileLock_Lock, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(FileLock_Lock, tryAcquire)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease_take(execute_data, FL_EXCLUSIVE, 0, return_value);
}

ZEND_METHOD(FileLock_Lock, acquire)
{
    double timeout;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_DOUBLE(timeout)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_lease_take(execute_data, FL_EXCLUSIVE, timeout, return_value);
}

ZEND_METHOD(FileLock_Lock, tryAcquireShared)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease_take(execute_data, FL_SHARED, 0, return_value);
}

ZEND_METHOD(FileLock_Lock, acquireShared)
{
    double timeout;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_DOUBLE(timeout)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_lease_take(execute_data, FL_SHARED, timeout, return_value);
}

ZEND_METHOD(FileLock_Lock, refresh)
{
    php_filelock_lease_refresh(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(FileLock_Lock, release)
{
    php_filelock_lease_release(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(FileLock_Lock, isAcquired)
{
    php_filelock_lease_is_acquired(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* The store keeps deadlines in units of its own, which may end a little later than the ttl says. */
ZEND_METHOD(FileLock_Lock, getRemainingLifetime)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease *mine = php_filelock_lease_from(ZEND_THIS);
    if (!php_filelock_lease_is_mine(mine))
        RETURN_DOUBLE(0.0);
    if (mine->lease.deadline == INT64_MAX)
        RETURN_NULL();
    RETURN_DOUBLE((double)MIN(mine->lease.deadline - os_now(), mine->lease.ttl) / 1e9);
}

ZEND_METHOD(FileLock_Lock, getToken)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease *mine = php_filelock_lease_from(ZEND_THIS);
    if (!php_filelock_lease_is_mine(mine) || mine->lease.token == 0)
        RETURN_NULL();
    RETURN_LONG((zend_long)mine->lease.token);
}

static ZEND_COLD void throw_no_key(const php_filelock_lease *mine, const char *why)
{
    zend_string *name = php_filelock_quote(ZSTR_VAL(mine->name), ZSTR_LEN(mine->name));
    zend_throw_error(php_filelock_ce_error, "\"%s\" has no key: %s", ZSTR_VAL(name), why);
    zend_string_release(name);
}

static bool may_have_key(php_filelock_lease *mine)
{
    const char *why = NULL;
    if (mine->wait != NULL || !php_filelock_lease_is_mine(mine))
        why = "it is not held by this object";
    else if (mine->lease.kind != FL_EXCLUSIVE)
        why = "it is held shared, and only an exclusive lock can be handed over";
    else if (mine->lease.ttl == INT64_MAX)
        why = "it has no expiry, so it lasts as long as this process; take it with a finite ttl";
    if (why != NULL)
        throw_no_key(mine, why);
    return why == NULL;
}

ZEND_METHOD(FileLock_Lock, getKey)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease *mine = php_filelock_lease_from(ZEND_THIS);
    if (!may_have_key(mine))
        RETURN_THROWS();
    char key[FL_KEY_SIZE];
    fl_error error;
    fl_result result = fl_get_key(&mine->lease, key, &error);
    if (result == FL_OK) {
        mine->has_key = true;
        RETURN_STRING(key);
    }
    if (result == FL_LOST)
        throw_no_key(mine, "it is not held by this object");
    else
        php_filelock_throw(result, &error, mine->name, (php_filelock_arguments){0});
}

/* Class FileLock\Semaphore, and the method of FileLock\Store that makes one. */
#include "php_filelock_lease.h"

zend_class_entry *php_filelock_ce_semaphore;

void php_filelock_semaphore_init(zend_class_entry *ce)
{
    php_filelock_ce_semaphore = ce;
    php_filelock_lease_init(ce);
}

ZEND_METHOD(FileLock_Store, semaphore)
{
    zend_string *name;
    zend_long permits;
    double ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(permits)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    if (ttl_is_null)
        ttl = FILELOCK_G(ttl);
    php_filelock_opened *opened = php_filelock_opened_of(ZEND_THIS);
    if (opened == NULL || !php_filelock_check(opened->store, name, ttl, ttl_is_null ? 0 : 3))
        RETURN_THROWS();
    if (permits < 1 || permits > FL_PERMITS_MAX) {
        zend_argument_value_error(2, "must be between 1 and %d", FL_PERMITS_MAX);
        RETURN_THROWS();
    }
    php_filelock_lease_make(return_value, php_filelock_ce_semaphore, opened, name, ttl)->permits = (uint32_t)permits;
}

ZEND_METHOD(FileLock_Semaphore, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(FileLock_Semaphore, tryAcquire)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease_take(execute_data, FL_PERMIT, 0, return_value);
}

ZEND_METHOD(FileLock_Semaphore, acquire)
{
    double timeout;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_DOUBLE(timeout)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_lease_take(execute_data, FL_PERMIT, timeout, return_value);
}

ZEND_METHOD(FileLock_Semaphore, refresh)
{
    php_filelock_lease_refresh(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(FileLock_Semaphore, release)
{
    php_filelock_lease_release(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(FileLock_Semaphore, isAcquired)
{
    php_filelock_lease_is_acquired(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

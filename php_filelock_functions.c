/* The functions by name, on the request's store. */
#include "php_filelock.h"

#define TTL_ARGUMENT(number) (ttl_is_null ? 0 : (number))

PHP_FUNCTION(filelock_try)
{
    zend_string *name;
    double ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    if (ttl_is_null)
        ttl = FILELOCK_G(ttl);
    fl_result result;
    fl_error error;
    do {
        fl_holdings *holdings = php_filelock_holdings();
        if (UNEXPECTED(holdings == NULL))
            RETURN_THROWS();
        result = fl_holdings_try(holdings, ZSTR_VAL(name), ZSTR_LEN(name), ttl, &error);
    } while (UNEXPECTED(result == FL_ERROR) && php_filelock_user_changed());

    if (EXPECTED(result != FL_ERROR))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, name,
                       (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TTL] = TTL_ARGUMENT(2)});
    RETURN_THROWS();
}

PHP_FUNCTION(filelock_acquire)
{
    zend_string *name;
    double timeout, ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_DOUBLE(timeout)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    if (ttl_is_null)
        ttl = FILELOCK_G(ttl);
    fl_result result;
    fl_error error;
    php_filelock_wait wait;
    php_filelock_wait_init(&wait);
    do {
        fl_holdings *holdings = php_filelock_holdings();
        if (UNEXPECTED(holdings == NULL))
            RETURN_THROWS();
        result = fl_holdings_acquire(holdings, ZSTR_VAL(name), ZSTR_LEN(name), ttl, timeout, &wait.interrupt, &error);
    } while (UNEXPECTED(result == FL_ERROR) && php_filelock_user_changed());

    php_filelock_wait_leave(&wait);
    if (UNEXPECTED(EG(exception) != NULL))
        RETURN_THROWS();
    if (EXPECTED(result == FL_OK || result == FL_BUSY))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(
        result, &error, name,
        (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TIMEOUT] = 2, [FL_ARG_TTL] = TTL_ARGUMENT(3)});
    RETURN_THROWS();
}

PHP_FUNCTION(filelock_release)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    fl_holdings *holdings = php_filelock_holdings();
    if (UNEXPECTED(holdings == NULL))
        RETURN_THROWS();
    fl_error error;
    fl_result result = fl_holdings_release(holdings, ZSTR_VAL(name), ZSTR_LEN(name), &error);
    if (EXPECTED(result != FL_ERROR))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, name, (php_filelock_arguments){[FL_ARG_NAME] = 1});
    RETURN_THROWS();
}

PHP_FUNCTION(filelock_release_all)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_loss *losses = NULL;
    size_t mine = php_filelock_give_back(&losses);
    php_filelock_warn_of(losses);
    RETURN_LONG((zend_long)mine);
}

PHP_FUNCTION(filelock_refresh)
{
    zend_string *name;
    double ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    fl_holdings *holdings = php_filelock_holdings();
    if (UNEXPECTED(holdings == NULL))
        RETURN_THROWS();
    fl_error error;
    fl_result result = fl_holdings_refresh(holdings, ZSTR_VAL(name), ZSTR_LEN(name), ttl_is_null ? NULL : &ttl, &error);
    if (EXPECTED(result != FL_ERROR))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, name,
                       (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TTL] = TTL_ARGUMENT(2)});
    RETURN_THROWS();
}

PHP_FUNCTION(filelock_status)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    fl_result result;
    fl_status_t status;
    fl_error error;
    do {
        php_filelock_opened *opened = php_filelock_current();
        if (UNEXPECTED(opened == NULL))
            RETURN_THROWS();
        result = fl_status(opened->store, ZSTR_VAL(name), ZSTR_LEN(name), &status, &error);
    } while (UNEXPECTED(result == FL_ERROR) && php_filelock_user_changed());
    php_filelock_return_status(result, &status, &error, return_value);
}

PHP_FUNCTION(filelock_list)
{
    zend_string *prefix = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_opened *opened = php_filelock_current();
    if (UNEXPECTED(opened == NULL))
        RETURN_THROWS();
    php_filelock_return_list(opened->store, prefix, return_value);
}

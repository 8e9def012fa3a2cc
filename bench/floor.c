/*
 * The floor of the benchmark: two internal functions with the arguments and results of filelock_try() and filelock_release()
 * that do nothing. What PHP itself costs to get there and back, no more.
 */
#include "php.h"

/* These macros are no statements, which clang-format does not know. */
/* clang-format off */
ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_floor_try, 0, 1, _IS_BOOL, 0)
    ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
    ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_floor_release, 0, 1, _IS_BOOL, 0)
    ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()
/* clang-format on */

PHP_FUNCTION(floor_try)
{
    zend_string *name;
    double ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();
    RETURN_TRUE;
}

PHP_FUNCTION(floor_release)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    RETURN_TRUE;
}

/* clang-format off */
static const zend_function_entry functions[] = {
    PHP_FE(floor_try, arginfo_floor_try)
    PHP_FE(floor_release, arginfo_floor_release)
    PHP_FE_END
};

zend_module_entry floor_module_entry = {
    STANDARD_MODULE_HEADER, "floor", functions, NULL, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(floor)

/*
 * The floor of the benchmark: two internal functions with the arguments and results of filelock_try() and filelock_release(), and
 * two methods like those of a handle, that do nothing. What PHP itself costs to get there and back, no more.
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

PHP_METHOD(Floor, take)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_TRUE;
}

PHP_METHOD(Floor, release)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_TRUE;
}

/* clang-format off */
ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_floor_method, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

static const zend_function_entry methods[] = {
    PHP_ME(Floor, take, arginfo_floor_method, ZEND_ACC_PUBLIC)
    PHP_ME(Floor, release, arginfo_floor_method, ZEND_ACC_PUBLIC)
    PHP_FE_END
};
/* clang-format on */

static PHP_MINIT_FUNCTION(floor)
{
    zend_class_entry entry;
    INIT_CLASS_ENTRY(entry, "Floor", methods);
    zend_class_entry *registered = zend_register_internal_class(&entry);
    registered->ce_flags |= ZEND_ACC_FINAL;
    return SUCCESS;
}

zend_module_entry floor_module_entry = {
    STANDARD_MODULE_HEADER,    "floor", functions, PHP_MINIT(floor), NULL, NULL, NULL, NULL, "1",
    STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(floor)

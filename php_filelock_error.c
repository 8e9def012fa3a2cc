/* The core's errors as exceptions. */
#include "php_filelock.h"

#include "zend_exceptions.h"

#include "src/policy.h"

static ZEND_COLD void throw_self(zend_string *name)
{
    zend_string *quoted = php_filelock_quote(ZSTR_VAL(name), ZSTR_LEN(name));
    zend_throw_error(
        php_filelock_ce_error,
        "\"%s\" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0",
        ZSTR_VAL(quoted));
    zend_string_release(quoted);
}

/* Where a bad value came from if it was not passed as an argument. */
static const char *source_of(const fl_error *error)
{
    switch (error->argument) {
        case FL_ARG_DSN:
            return "The setting filelock.store ";
        case FL_ARG_TTL:
            return "The setting filelock.ttl ";
        default:
            return "";
    }
}

void php_filelock_throw(fl_result result, const fl_error *error, zend_string *name,
                        const php_filelock_arguments arguments)
{
    if (result == FL_SELF) {
        throw_self(name);
        return;
    }
    uint32_t number = arguments[error->argument];
    if (number != 0)
        zend_argument_value_error(number, "%s", error->message);
    else
        zend_throw_exception_ex(php_filelock_ce_exception, error->code, "%s%s", source_of(error), error->message);
}

bool php_filelock_check(const fl_store *store, zend_string *name, double ttl, uint32_t ttl_number)
{
    fl_error error;
    if (policy_check_name(store, ZSTR_VAL(name), ZSTR_LEN(name), &error) == FL_OK &&
        policy_check_ttl(store, ttl, &error) == FL_OK)
        return true;
    php_filelock_throw(FL_ERROR, &error, name, (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TTL] = ttl_number});
    return false;
}

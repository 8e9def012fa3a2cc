/*
 * Module, settings, and the life cycle of a request.
 *
 *     first use         the request's store is resolved (php_filelock_stores.c); nothing happens at the request's start
 *     RSHUTDOWN         losses are told, while warnings can still be shown; nothing is given back, since modules shut down in
 *                       reverse order and the user's session handler may still have to write
 *     post-deactivate   everything is given back, after the last object was freed; what is found lost only now is logged
 */
#include "php_filelock.h"

#include <math.h>

#include "SAPI.h"
#include "zend_attributes.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "stubs/filelock_arginfo.h"

#define DEFAULT_TTL "1800"

ZEND_DECLARE_MODULE_GLOBALS(filelock)

#if defined(ZTS) && defined(COMPILE_DL_FILELOCK)
ZEND_TSRMLS_CACHE_DEFINE()
#endif

zend_class_entry *php_filelock_ce_exception;
zend_class_entry *php_filelock_ce_error;

/* ---- settings */

/* A number of seconds, or INF. False: it is none, or out of range. */
static bool parse_ttl(const zend_string *text, double *ttl)
{
    const char *start = ZSTR_VAL(text), *end;
    if (zend_string_equals_literal_ci(text, "INF")) {
        *ttl = ZEND_INFINITY;
        return true;
    }
    if (strspn(start, "0123456789.") == 0) /* neither white space nor a sign, which strtod() would skip */
        return false;
    *ttl = zend_strtod(start, &end);
    return end != start && end == start + ZSTR_LEN(text) && *ttl > 0 && *ttl <= FL_TTL_MAX;
}

/* A refused value leaves the one before: that is, from php.ini, the default. */
static ZEND_INI_MH(on_update_ttl)
{
    double ttl;
    if (parse_ttl(new_value, &ttl)) {
        FILELOCK_G(ttl) = ttl;
        return SUCCESS;
    }
    zend_string *quoted = php_filelock_quote(ZSTR_VAL(new_value), ZSTR_LEN(new_value));
    php_error_docref(NULL, E_WARNING,
                     "filelock.ttl must be a number of seconds > 0 and at most %.0f (240 days), or INF, not \"%s\"",
                     FL_TTL_MAX, ZSTR_VAL(quoted));
    zend_string_release(quoted);
    return FAILURE;
}

static ZEND_INI_MH(on_update_label)
{
    if (strlen(ZSTR_VAL(new_value)) != ZSTR_LEN(new_value)) {
        php_error_docref(NULL, E_WARNING, "filelock.label must not contain any null bytes");
        return FAILURE;
    }
    OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
    if (stage == ZEND_INI_STAGE_RUNTIME)
        php_filelock_label_changed();
    return SUCCESS;
}

PHP_INI_BEGIN()
STD_PHP_INI_ENTRY("filelock.store", "", PHP_INI_SYSTEM, OnUpdateString, store, zend_filelock_globals, filelock_globals)
PHP_INI_ENTRY("filelock.ttl", DEFAULT_TTL, PHP_INI_ALL, on_update_ttl)
STD_PHP_INI_ENTRY("filelock.label", "", PHP_INI_ALL, on_update_label, label, zend_filelock_globals, filelock_globals)
PHP_INI_END()

/* ---- module */

static PHP_GINIT_FUNCTION(filelock)
{
#if defined(ZTS) && defined(COMPILE_DL_FILELOCK)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(filelock_globals, 0, sizeof *filelock_globals);
    filelock_globals->ttl = zend_strtod(DEFAULT_TTL, NULL);
}

static PHP_GSHUTDOWN_FUNCTION(filelock)
{
    php_filelock_close_all(filelock_globals->opened);
}

/*
 * FrankenPHP's worker mode ends a request without telling modules: only the SAPI's own deactivate() is called. For the other
 * SAPIs nothing is left to do at that point. A filelock_run() around the worker's loop goes on.
 */
static int (*sapi_deactivate_before)(void);

static int deactivate_sapi(void)
{
    php_filelock_give_back(&FILELOCK_G(losses));
    php_filelock_log();
    if (FILELOCK_G(works) == NULL)
        php_filelock_close_idle();
    return sapi_deactivate_before != NULL ? sapi_deactivate_before() : SUCCESS;
}

static void hook_worker_mode(void)
{
    if (strcmp(sapi_module.name, "frankenphp") != 0)
        return;
    sapi_deactivate_before = sapi_module.deactivate;
    sapi_module.deactivate = deactivate_sapi;
}

static void unhook_worker_mode(void)
{
    if (sapi_module.deactivate == deactivate_sapi)
        sapi_module.deactivate = sapi_deactivate_before;
}

/* PHP 8.2's generator drops this attribute from the stub. */
static void mark_no_discard(HashTable *functions, const char *name)
{
#if PHP_VERSION_ID >= 80500
    zend_function *function = zend_hash_str_find_ptr(functions, name, strlen(name));
    zend_string *attribute = zend_string_init_interned(ZEND_STRL("NoDiscard"), true);
    function->common.fn_flags |= ZEND_ACC_NODISCARD;
    zend_add_function_attribute(function, attribute, 0);
    zend_string_release(attribute);
#else
    (void)functions;
    (void)name;
#endif
}

static void mark_all_no_discard(void)
{
    mark_no_discard(CG(function_table), "filelock_try");
    mark_no_discard(CG(function_table), "filelock_acquire");
    mark_no_discard(&php_filelock_ce_lock->function_table, "tryacquire");
    mark_no_discard(&php_filelock_ce_lock->function_table, "acquire");
    mark_no_discard(&php_filelock_ce_lock->function_table, "tryacquireshared");
    mark_no_discard(&php_filelock_ce_lock->function_table, "acquireshared");
    mark_no_discard(&php_filelock_ce_semaphore->function_table, "tryacquire");
    mark_no_discard(&php_filelock_ce_semaphore->function_table, "acquire");
}

static PHP_MINIT_FUNCTION(filelock)
{
    REGISTER_INI_ENTRIES();
    php_filelock_status_init(register_class_FileLock_Status(zend_ce_stringable));
    php_filelock_store_init(register_class_FileLock_Store());
    php_filelock_lock_init(register_class_FileLock_Lock());
    php_filelock_semaphore_init(register_class_FileLock_Semaphore());
    php_filelock_ce_exception = register_class_FileLock_LockException(zend_ce_exception);
    php_filelock_ce_error = register_class_FileLock_LockError(zend_ce_error);
    mark_all_no_discard();
    hook_worker_mode();
    return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(filelock)
{
    unhook_worker_mode();
    UNREGISTER_INI_ENTRIES();
    return SUCCESS;
}

/* ---- request */

#if defined(ZTS) && defined(COMPILE_DL_FILELOCK)
static PHP_RINIT_FUNCTION(filelock)
{
    ZEND_TSRMLS_CACHE_UPDATE();
    return SUCCESS;
}
#define FILELOCK_RINIT PHP_RINIT(filelock)
#else
#define FILELOCK_RINIT NULL
#endif

static PHP_RSHUTDOWN_FUNCTION(filelock)
{
    php_filelock_loss *losses = php_filelock_find_losses();
    if (UNEXPECTED(losses != NULL))
        php_filelock_warn_of(losses);
    return SUCCESS;
}

static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(filelock)
{
    php_filelock_give_back_all();
    php_filelock_log();
    php_filelock_close_idle();
    return SUCCESS;
}

zend_module_entry filelock_module_entry = {
    STANDARD_MODULE_HEADER,
    "filelock",
    ext_functions,
    PHP_MINIT(filelock),
    PHP_MSHUTDOWN(filelock),
    FILELOCK_RINIT,
    PHP_RSHUTDOWN(filelock),
    PHP_MINFO(filelock),
    PHP_FILELOCK_VERSION,
    PHP_MODULE_GLOBALS(filelock),
    PHP_GINIT(filelock),
    PHP_GSHUTDOWN(filelock),
    ZEND_MODULE_POST_ZEND_DEACTIVATE_N(filelock),
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_FILELOCK
ZEND_GET_MODULE(filelock)
#endif

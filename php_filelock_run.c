/* filelock_run(): a lease that lasts as long as a call. */
#include "php_filelock.h"

/*
 * The lease hangs on the request, so that a bail-out out of the call (fatal error, memory limit), which never comes back here,
 * leaves it to the request's end.
 */
static php_filelock_work *add_work(fl_store *store)
{
    php_filelock_work *work = malloc(sizeof *work);
    fl_holdings *holdings = fl_holdings_new(store);
    if (work == NULL || holdings == NULL) {
        free(work);
        fl_holdings_free(holdings);
        return NULL;
    }
    work->holdings = holdings;
    work->next = FILELOCK_G(works);
    FILELOCK_G(works) = work;
    return work;
}

/* Not always the latest one: Fibers end in any order. */
static void remove_work(php_filelock_work *work)
{
    php_filelock_work **link = &FILELOCK_G(works);
    while (*link != work)
        link = &(*link)->next;
    *link = work->next;
    fl_holdings_free(work->holdings);
    free(work);
}

static fl_result take(php_filelock_work **work, zend_string *name, double timeout, double ttl, fl_error *error)
{
    php_filelock_opened *opened = php_filelock_current_for_taking();
    if (opened == NULL)
        return FL_INTERRUPTED;
    *work = add_work(opened->store);
    if (*work == NULL) {
        *error = (fl_error){.fault = FL_WORLD_FAILED, .message = "out of memory for another lease"};
        return FL_ERROR;
    }
    php_filelock_wait wait;
    php_filelock_wait_init(&wait);
    fl_result result =
        fl_holdings_acquire((*work)->holdings, ZSTR_VAL(name), ZSTR_LEN(name), ttl, timeout, &wait.interrupt, error);
    if (result != FL_OK)
        remove_work(*work);
    php_filelock_wait_leave(&wait);
    return result;
}

static void give_back(php_filelock_work *work)
{
    php_filelock_loss *losses = NULL;
    fl_holdings_release_all(work->holdings, php_filelock_note_loss, &losses);
    remove_work(work);
    if (UNEXPECTED(losses != NULL))
        php_filelock_warn_of(losses);
}

static void call(zend_fcall_info *info, zend_fcall_info_cache *cache, zval *return_value)
{
    info->retval = return_value;
    zend_call_function(info, cache);
    if (Z_ISREF_P(return_value))
        zend_unwrap_reference(return_value);
}

PHP_FUNCTION(filelock_run)
{
    zend_string *name;
    zend_fcall_info info;
    zend_fcall_info_cache cache;
    double timeout = 0.0, ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(2, 4)
        Z_PARAM_STR(name)
        Z_PARAM_FUNC(info, cache)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE(timeout)
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    if (ttl_is_null)
        ttl = FILELOCK_G(ttl);
    php_filelock_work *work;
    fl_error error;
    fl_result result;
    do
        result = take(&work, name, timeout, ttl, &error);
    while (UNEXPECTED(result == FL_ERROR) && php_filelock_user_changed());

    if (EXPECTED(result == FL_OK)) {
        call(&info, &cache, return_value);
        give_back(work);
        return;
    }
    zend_release_fcall_info_cache(&cache);
    if (result == FL_BUSY || EG(exception) != NULL)
        return;
    php_filelock_throw(
        result, &error, name,
        (php_filelock_arguments){[FL_ARG_NAME] = 1, [FL_ARG_TIMEOUT] = 3, [FL_ARG_TTL] = ttl_is_null ? 0 : 4});
}

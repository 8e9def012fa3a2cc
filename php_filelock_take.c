/* What the methods of FileLock\Lock and FileLock\Semaphore do: taking, refreshing, giving back, looking. */
#include "php_filelock_lease.h"

#include <math.h>

#include "zend_exceptions.h"

/* ---- objects that would not live to see the next statement */

static ZEND_COLD void throw_temporary(void)
{
    zend_throw_error(
        php_filelock_ce_error,
        "Nothing keeps this object, so the lock would be given back before the next statement; assign what "
        "the store returned to a variable first");
}

static ZEND_COLD void throw_waiting(void)
{
    zend_throw_error(
        php_filelock_ce_error,
        "This very object waits at the moment, further up in the call stack; use another one in a handler");
}

/* The frame owns a reference to $this, and that is the only one. */
static inline bool is_temporary(const zend_execute_data *call, const php_filelock_lease *mine)
{
    return GC_REFCOUNT(&mine->std) == 1 && (ZEND_CALL_INFO(call) & ZEND_CALL_RELEASE_THIS) && mine->auto_release;
}

static inline bool may_take(const zend_execute_data *call, const php_filelock_lease *mine)
{
    if (EXPECTED(mine->wait == NULL && !is_temporary(call, mine)))
        return true;
    if (mine->wait != NULL)
        throw_waiting();
    else
        throw_temporary();
    return false;
}

/* ---- waiting */

/* Handlers may drop the last reference to the object that waits. After a bail-out it is freed with all the others. */
static void begin_wait(php_filelock_lease *mine, php_filelock_wait *wait, fl_request *request)
{
    php_filelock_wait_init(wait);
    request->interrupt = &wait->interrupt;
    mine->wait = wait;
    GC_ADDREF(&mine->std);
}

static fl_result end_wait(php_filelock_lease *mine, php_filelock_wait *wait, fl_result result)
{
    fl_error error;
    mine->wait = NULL;
    if (wait->ended) { /* by release() */
        fl_release(&mine->lease, &error);
        result = FL_BUSY;
    }
    php_filelock_wait_leave(wait);
    OBJ_RELEASE(&mine->std);
    return result;
}

/* Into a lease of its own, so that the object's is one that nobody holds as long as it is not granted. */
static fl_result take_waiting(php_filelock_lease *mine, fl_request *request, fl_error *error)
{
    fl_lease lease = FL_LEASE_INIT;
    php_filelock_wait wait;
    begin_wait(mine, &wait, request);
    fl_result result = fl_take(mine->opened->store, &lease, request, error);
    if (result == FL_OK)
        mine->lease = lease;
    return end_wait(mine, &wait, result);
}

static fl_result upgrade(php_filelock_lease *mine, fl_request *request, fl_error *error)
{
    php_filelock_wait wait;
    begin_wait(mine, &wait, request);
    fl_result result = fl_upgrade(&mine->lease, request->timeout, request->interrupt, error);
    return end_wait(mine, &wait, result == FL_LOST ? FL_BUSY : result);
}

/* ---- taking */

/* What is held is asked for, in the same way or in the other one. */
static fl_result take_held(php_filelock_lease *mine, fl_request *request, fl_error *error)
{
    fl_lease other = FL_LEASE_INIT;
    if (!(request->timeout >= 0)) /* the core says why */
        return fl_take(mine->opened->store, &other, request, error);
    if (request->kind == mine->lease.kind)
        return request->timeout > 0 ? FL_SELF : FL_BUSY;
    if (request->kind == FL_EXCLUSIVE)
        return upgrade(mine, request, error);
    fl_result result = fl_downgrade(&mine->lease, error);
    return result == FL_LOST ? FL_BUSY : result;
}

static inline fl_result take_anew(php_filelock_lease *mine, fl_request *request, fl_error *error)
{
    fl_store *store = mine->opened->store;
    if (UNEXPECTED(!mine->opened->labelled))
        php_filelock_tell_label(mine->opened);
    if (EXPECTED(request->kind == FL_EXCLUSIVE && request->timeout == 0))
        return fl_try(store, &mine->lease, request->name, request->length, request->ttl, error);
    if (request->timeout > 0)
        return take_waiting(mine, request, error);
    return fl_take(store, &mine->lease, request, error);
}

static inline fl_result note_taken(php_filelock_lease *mine, fl_result result)
{
    if (result == FL_OK)
        mine->told = mine->has_key = false;
    return result;
}

static inline fl_result take(php_filelock_lease *mine, fl_request *request, fl_error *error)
{
    while (UNEXPECTED(mine->lease.state != FL_LEASE_FREE)) {
        if (fl_verify(&mine->lease) == FL_OK)
            return note_taken(mine, take_held(mine, request, error));
        php_filelock_lease_forget(mine);
        /* It told a loss: the user's error handler may have thrown, and may have taken with this very object. */
        if (UNEXPECTED(EG(exception) == NULL && mine->wait != NULL))
            throw_waiting();
        if (UNEXPECTED(EG(exception) != NULL))
            return FL_INTERRUPTED;
    }
    return note_taken(mine, take_anew(mine, request, error));
}

void php_filelock_lease_take(zend_execute_data *call, fl_kind kind, double timeout, zval *return_value)
{
    php_filelock_lease *mine = php_filelock_lease_from(&call->This);
    fl_request request = {.name = ZSTR_VAL(mine->name),
                          .length = ZSTR_LEN(mine->name),
                          .ttl = mine->ttl,
                          .timeout = timeout,
                          .kind = kind,
                          .permits = mine->permits};
    fl_error error;
    if (UNEXPECTED(!may_take(call, mine)))
        RETURN_THROWS();
    fl_result result = take(mine, &request, &error);
    if (UNEXPECTED(EG(exception) != NULL))
        RETURN_THROWS();
    if (EXPECTED(result == FL_OK || result == FL_BUSY))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, mine->name, (php_filelock_arguments){[FL_ARG_TIMEOUT] = 1});
}

/* ---- the other methods */

void php_filelock_lease_refresh(INTERNAL_FUNCTION_PARAMETERS)
{
    double ttl;
    bool ttl_is_null = true;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_DOUBLE_OR_NULL(ttl, ttl_is_null)
    ZEND_PARSE_PARAMETERS_END();

    php_filelock_lease *mine = php_filelock_lease_from(ZEND_THIS);
    fl_error error;
    if (UNEXPECTED(mine->wait != NULL))
        RETURN_BOOL(php_filelock_lease_is_mine(mine));
    if (UNEXPECTED(!mine->auto_release && !ttl_is_null && isinf(ttl))) {
        zend_argument_value_error(1, "must be finite where autoRelease is off: nothing else would end the lock");
        RETURN_THROWS();
    }
    fl_result result = fl_refresh(&mine->lease, ttl_is_null ? NULL : &ttl, &error);
    if (result == FL_LOST)
        mine->told = true;
    if (EXPECTED(result != FL_ERROR))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, mine->name, (php_filelock_arguments){[FL_ARG_TTL] = ttl_is_null ? 0 : 1});
}

void php_filelock_lease_release(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();

    php_filelock_lease *mine = php_filelock_lease_from(ZEND_THIS);
    fl_error error;
    if (UNEXPECTED(mine->wait != NULL)) {
        mine->wait->ended = true;
        RETURN_BOOL(php_filelock_lease_is_mine(mine));
    }
    fl_result result = fl_release(&mine->lease, &error);
    if (EXPECTED(result != FL_ERROR))
        RETURN_BOOL(result == FL_OK);
    php_filelock_throw(result, &error, mine->name, (php_filelock_arguments){0});
}

void php_filelock_lease_is_acquired(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_BOOL(php_filelock_lease_is_mine(php_filelock_lease_from(ZEND_THIS)));
}

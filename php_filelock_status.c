/* Class FileLock\Status: a snapshot, as readonly properties for programs and as a sentence for people. */
#include "php_filelock.h"

#include <math.h>

typedef struct {
    fl_status_t status; /* for the sentence */
    zend_object std;
} status_object;

/* In the stub's order. */
enum {
    PROPERTY_NAME,
    PROPERTY_SHARED,
    PROPERTY_HOLDERS,
    PROPERTY_WAITERS,
    PROPERTY_MINE,
    PROPERTY_TOKEN,
    PROPERTY_PID,
    PROPERTY_UID,
    PROPERTY_HOST,
    PROPERTY_LABEL,
    PROPERTY_SINCE,
    PROPERTY_REMAINING
};

zend_class_entry *php_filelock_ce_status;
static zend_object_handlers status_handlers;

static inline status_object *status_from(zend_object *object)
{
    return (status_object *)((char *)object - offsetof(status_object, std));
}

/* Having a create_object, a final class cannot be made by ReflectionClass::newInstanceWithoutConstructor() either. */
static zend_object *create_status(zend_class_entry *ce)
{
    status_object *object = zend_object_alloc(sizeof *object, ce);
    memset(&object->status, 0, sizeof object->status);
    zend_object_std_init(&object->std, ce);
    object_properties_init(&object->std, ce);
    object->std.handlers = &status_handlers;
    return &object->std;
}

void php_filelock_status_init(zend_class_entry *ce)
{
    php_filelock_ce_status = ce;
    ce->create_object = create_status;
    memcpy(&status_handlers, zend_get_std_object_handlers(), sizeof status_handlers);
    status_handlers.offset = offsetof(status_object, std);
    status_handlers.clone_obj = NULL;
}

/* ---- values; what is not known is null */

static void set_bool(zend_object *object, int property, bool value)
{
    ZVAL_BOOL(OBJ_PROP_NUM(object, property), value);
}

static void set_long(zend_object *object, int property, int64_t value)
{
    if (value >= 0)
        ZVAL_LONG(OBJ_PROP_NUM(object, property), value);
    else
        ZVAL_NULL(OBJ_PROP_NUM(object, property));
}

static void set_double(zend_object *object, int property, double value)
{
    if (isfinite(value))
        ZVAL_DOUBLE(OBJ_PROP_NUM(object, property), value);
    else
        ZVAL_NULL(OBJ_PROP_NUM(object, property));
}

static void set_string(zend_object *object, int property, const char *value, size_t length)
{
    ZVAL_STRINGL_FAST(OBJ_PROP_NUM(object, property), value, length);
}

static void set_properties(zend_object *object, const fl_status_t *status)
{
    set_string(object, PROPERTY_NAME, status->name, status->name_length);
    set_bool(object, PROPERTY_SHARED, status->shared);
    set_long(object, PROPERTY_HOLDERS, status->holders);
    set_long(object, PROPERTY_WAITERS, status->waiters);
    set_bool(object, PROPERTY_MINE, status->mine);
    set_long(object, PROPERTY_TOKEN, status->token);
    set_long(object, PROPERTY_PID, status->pid);
    set_long(object, PROPERTY_UID, status->uid);
    if (status->host[0] != '\0')
        set_string(object, PROPERTY_HOST, status->host, strlen(status->host));
    else
        ZVAL_NULL(OBJ_PROP_NUM(object, PROPERTY_HOST));
    set_string(object, PROPERTY_LABEL, status->label, strlen(status->label));
    set_double(object, PROPERTY_SINCE, status->since);
    set_double(object, PROPERTY_REMAINING, status->remaining);
}

static void make_status(zval *value, const fl_status_t *status)
{
    zend_object *object = create_status(php_filelock_ce_status);
    ZVAL_OBJ(value, object);
    status_from(object)->status = *status;
    set_properties(object, status);
}

/* ---- results of functions and methods, which have the name or prefix as their argument 1 */

void php_filelock_return_status(fl_result result, const fl_status_t *status, const fl_error *error, zval *return_value)
{
    if (result == FL_OK)
        make_status(return_value, status);
    else if (result == FL_FREE)
        RETURN_NULL();
    else
        php_filelock_throw(result, error, NULL, (php_filelock_arguments){[FL_ARG_NAME] = 1});
}

typedef struct {
    zval *array;
    bool bailed_out;
} listing;

/* The memory limit must not jump over the core. */
static int add_status(void *context, const fl_status_t *status)
{
    listing *list = context;
    zend_try
    {
        zval value;
        make_status(&value, status);
        add_next_index_zval(list->array, &value);
    }
    zend_catch
    {
        list->bailed_out = true;
    }
    zend_end_try();
    return list->bailed_out;
}

void php_filelock_return_list(fl_store *store, zend_string *prefix, zval *return_value)
{
    listing list = {.array = return_value};
    fl_error error;
    array_init(return_value);
    fl_result result = fl_list(store, ZSTR_VAL(prefix), ZSTR_LEN(prefix), add_status, &list, &error);
    if (UNEXPECTED(list.bailed_out))
        zend_bailout();
    if (EXPECTED(result != FL_ERROR))
        return;
    zend_array_destroy(Z_ARR_P(return_value));
    ZVAL_NULL(return_value);
    php_filelock_throw(result, &error, NULL, (php_filelock_arguments){[FL_ARG_NAME] = 1});
}

/* ---- methods */

ZEND_METHOD(FileLock_Status, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(FileLock_Status, __toString)
{
    ZEND_PARSE_PARAMETERS_NONE();

    char sentence[FL_SENTENCE_MAX];
    size_t length = fl_describe(&status_from(Z_OBJ_P(ZEND_THIS))->status, sentence);
    RETURN_STRINGL(sentence, length);
}

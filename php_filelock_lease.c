/*
 * The life of an object that may hold one lease.
 *
 * It is given back in free_obj, which also runs after a fatal error and for what is left at the end of a request. A loss is told
 * in dtor_obj, which comes before: there the user's error handler may run. After a fatal error no dtor_obj is called. What is
 * found lost only in free_obj is told at the end of the request.
 */
#include "php_filelock_lease.h"

#include "src/os.h"
#include "src/store.h"

static zend_object_handlers handlers;

static inline php_filelock_lease *from(zend_object *object)
{
    return (php_filelock_lease *)((char *)object - offsetof(php_filelock_lease, std));
}

/* ---- making */

static zend_object *create(zend_class_entry *ce)
{
    php_filelock_lease *mine = zend_object_alloc(sizeof *mine, ce);
    zend_object_std_init(&mine->std, ce);
    object_properties_init(&mine->std, ce);
    mine->std.handlers = &handlers;
    return &mine->std;
}

static void enlist(php_filelock_lease *mine)
{
    mine->next = FILELOCK_G(leases);
    mine->link = &FILELOCK_G(leases);
    if (mine->next != NULL)
        mine->next->link = &mine->next;
    FILELOCK_G(leases) = mine;
}

static void delist(php_filelock_lease *mine)
{
    *mine->link = mine->next;
    if (mine->next != NULL)
        mine->next->link = mine->link;
}

php_filelock_lease *php_filelock_lease_make(zval *value, zend_class_entry *ce, php_filelock_opened *opened,
                                            zend_string *name, double ttl)
{
    ZVAL_OBJ(value, create(ce));
    php_filelock_lease *mine = php_filelock_lease_from(value);
    mine->name = zend_string_copy(name);
    mine->ttl = ttl;
    mine->auto_release = true;
    mine->opened = opened;
    opened->users++;
    enlist(mine);
    return mine;
}

/* ---- looking */

bool php_filelock_lease_is_mine(php_filelock_lease *mine)
{
    if (UNEXPECTED(mine->wait != NULL))
        return mine->lease.state == FL_LEASE_HELD && os_now() < mine->lease.deadline;
    return fl_verify(&mine->lease) == FL_OK;
}

/* ---- telling of a loss */

static bool is_to_be_told(const php_filelock_lease *mine)
{
    return !mine->told && !mine->has_key && !lease_is_inherited(&mine->lease);
}

static void note_loss(php_filelock_lease *mine, php_filelock_loss **losses)
{
    int64_t now = os_now(), ago = now >= mine->lease.deadline ? now - mine->lease.deadline : -1;
    if (is_to_be_told(mine))
        php_filelock_note_loss(losses, ZSTR_VAL(mine->name), ZSTR_LEN(mine->name), ago);
    mine->lease.state = FL_LEASE_FREE;
}

void php_filelock_lease_forget(php_filelock_lease *mine)
{
    php_filelock_loss *losses = NULL;
    if (mine->lease.state == FL_LEASE_LOST)
        note_loss(mine, &losses);
    if (UNEXPECTED(losses != NULL))
        php_filelock_warn_of(losses);
}

/* ---- freeing */

static void tell(zend_object *object)
{
    php_filelock_lease *mine = from(object);
    if (mine->wait == NULL && mine->lease.state == FL_LEASE_HELD)
        fl_verify(&mine->lease);
    php_filelock_lease_forget(mine);
}

/* A shared lock cannot be taken over, so it has nobody to stay for. */
static bool stays(const php_filelock_lease *mine)
{
    return !mine->auto_release && mine->lease.kind == FL_EXCLUSIVE;
}

static void give_back(php_filelock_lease *mine, php_filelock_loss **losses)
{
    fl_error error;
    fl_result result = FL_OK;
    if (mine->lease.state == FL_LEASE_HELD)
        result = stays(mine) ? fl_leave(&mine->lease, &error) : fl_release(&mine->lease, &error);
    if (result == FL_LOST || mine->lease.state == FL_LEASE_LOST)
        note_loss(mine, losses);
    mine->opened->users--;
    mine->opened = NULL;
    delist(mine);
}

static void free_object(zend_object *object)
{
    php_filelock_lease *mine = from(object);
    if (EXPECTED(mine->opened != NULL))
        give_back(mine, &FILELOCK_G(losses));
    if (EXPECTED(mine->name != NULL))
        zend_string_release(mine->name);
    zend_object_std_dtor(object);
}

void php_filelock_find_lost_leases(php_filelock_loss **losses)
{
    for (php_filelock_lease *mine = FILELOCK_G(leases); mine != NULL; mine = mine->next) {
        if (mine->lease.state == FL_LEASE_HELD)
            fl_verify(&mine->lease);
        if (mine->lease.state == FL_LEASE_LOST)
            note_loss(mine, losses);
    }
}

/* A bail-out while objects are freed leaves the others as they are; their memory is still there. */
void php_filelock_give_back_leases(php_filelock_loss **losses)
{
    while (FILELOCK_G(leases) != NULL)
        give_back(FILELOCK_G(leases), losses);
}

void php_filelock_lease_init(zend_class_entry *ce)
{
    ce->create_object = create;
    memcpy(&handlers, zend_get_std_object_handlers(), sizeof handlers);
    handlers.offset = offsetof(php_filelock_lease, std);
    handlers.dtor_obj = tell;
    handlers.free_obj = free_object;
    handlers.clone_obj = NULL;
    handlers.compare = zend_objects_not_comparable;
}

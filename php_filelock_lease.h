/*
 * What FileLock\Lock and FileLock\Semaphore have in common: an object that may hold one lease, and gives it back when it is freed.
 *
 *     lease.state   FREE  nothing is held
 *                   HELD  by this object, as far as it knows
 *                   LOST  it was, and a look has found it lost; `told`: refresh() has said so
 *     wait          not NULL while a method of this very object waits. Signal handlers run then, and may call others: release()
 *                   ends the wait, what would take throws, what looks touches nothing
 */
#ifndef PHP_FILELOCK_LEASE_H
#define PHP_FILELOCK_LEASE_H

#include "php_filelock.h"

typedef struct php_filelock_lease {
    fl_lease lease;
    struct php_filelock_lease *next, **link; /* in FILELOCK_G(leases) */
    php_filelock_opened *opened;             /* NULL until the object is complete */
    php_filelock_wait *wait;
    zend_string *name;
    double ttl;
    uint32_t permits;  /* FileLock\Semaphore only */
    bool auto_release; /* false: freed = left to its deadline */
    bool told;
    bool has_key; /* somebody else may have taken it over, and that is no loss to warn of */
    zend_object std;
} php_filelock_lease;

static inline php_filelock_lease *php_filelock_lease_from(zval *object)
{
    return (php_filelock_lease *)((char *)Z_OBJ_P(object) - offsetof(php_filelock_lease, std));
}

/* ---- php_filelock_lease.c: its life */

/* Gives a class its way to make and to free objects. */
void php_filelock_lease_init(zend_class_entry *ce);
/* An object of this class, complete but for the members that are its own, which are 0. */
php_filelock_lease *php_filelock_lease_make(zval *value, zend_class_entry *ce, php_filelock_opened *opened,
                                            zend_string *name, double ttl);
/* Mine, now? May be asked at any time. */
bool php_filelock_lease_is_mine(php_filelock_lease *mine);
/* Replaces what was lost, if something was: tells of it. May throw (the user's error handler). */
void php_filelock_lease_forget(php_filelock_lease *mine);

/* ---- php_filelock_take.c: the methods */

/*
 * The result of a method that takes: true, false, or an exception. The timeout is its argument 1; 0 without one. `call` is its
 * frame, which tells whether anything but this call keeps the object.
 */
void php_filelock_lease_take(zend_execute_data *call, fl_kind kind, double timeout, zval *return_value);
void php_filelock_lease_refresh(INTERNAL_FUNCTION_PARAMETERS);
void php_filelock_lease_release(INTERNAL_FUNCTION_PARAMETERS);
void php_filelock_lease_is_acquired(INTERNAL_FUNCTION_PARAMETERS);

#endif

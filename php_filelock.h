/*
 * What the files of the glue share. The glue turns PHP's arguments, requests and exceptions into calls of the core
 * (src/filelock.h) and back; it makes no lock, file or network call itself.
 *
 *     php_filelock.c            module, settings, life cycle of a request
 *     php_filelock_stores.c     the stores that this thread has opened, and which of them is the request's
 *     php_filelock_functions.c  filelock_*()
 *     php_filelock_run.c        filelock_run()
 *     php_filelock_replace.c    filelock_put_contents()
 *     php_filelock_wait.c       lets the engine act during a wait
 *     php_filelock_lost.c       tells of lost leases, gives back
 *     php_filelock_label.c      who this request is
 *     php_filelock_store.c      class FileLock\Store
 *     php_filelock_lock.c       class FileLock\Lock
 *     php_filelock_semaphore.c  class FileLock\Semaphore
 *     php_filelock_lease.c      the life of these two: given back when freed
 *     php_filelock_take.c       the methods of these two
 *     php_filelock_status.c     class FileLock\Status
 *     php_filelock_error.c      the core's errors as exceptions
 *     php_filelock_info.c       phpinfo()
 */
#ifndef PHP_FILELOCK_H
#define PHP_FILELOCK_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php.h"
#include "php_ini.h"

#include "src/filelock.h"

#define PHP_FILELOCK_VERSION FL_VERSION

extern zend_module_entry filelock_module_entry;
#define phpext_filelock_ptr &filelock_module_entry

/* A store that this thread has opened. It stays open from request to request. */
typedef struct php_filelock_opened {
    struct php_filelock_opened *next;
    fl_store *store;
    fl_holdings *holdings; /* what filelock_try() and filelock_acquire() took */
    uid_t uid;             /* the effective user who opened it: "table:" is another one for another user */
    uint32_t users;        /* objects */
    bool labelled;         /* it knows who this request is */
    bool by_setting;       /* it has been a request's store */
    char dsn[];
} php_filelock_opened;

/* The lease of one filelock_run(), in a set of its own: filelock_release() of the same name must not find it. */
typedef struct php_filelock_work {
    struct php_filelock_work *next;
    fl_holdings *holdings;
} php_filelock_work;

struct php_filelock_lease; /* an object, php_filelock_lease.h */

/* A lease that was found lost, to be told later: telling runs the user's error handler. */
typedef struct php_filelock_loss {
    struct php_filelock_loss *next;
    int64_t ago; /* ns since it expired, < 0 = it did not expire */
    size_t length;
    char name[FL_NAME_MAX];
} php_filelock_loss;

/* clang-format off */
ZEND_BEGIN_MODULE_GLOBALS(filelock)
    fl_holdings *holdings;        /* of the request's store when it is ready for taking, else NULL: the fast path's check */
    double ttl;                   /* filelock.ttl in seconds */
    char *store;                  /* filelock.store */
    char *label;                  /* filelock.label */
    php_filelock_opened *current; /* the request's store; NULL = not resolved yet */
    php_filelock_opened *opened;  /* all, most recently used first */
    php_filelock_work *works;     /* what runs now */
    struct php_filelock_lease *leases; /* objects */
    php_filelock_loss *losses;    /* found where nothing could be told */
ZEND_END_MODULE_GLOBALS(filelock)
/* clang-format on */

ZEND_EXTERN_MODULE_GLOBALS(filelock)

#define FILELOCK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(filelock, v)

#if defined(ZTS) && defined(COMPILE_DL_FILELOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

extern zend_class_entry *php_filelock_ce_store;
extern zend_class_entry *php_filelock_ce_lock;
extern zend_class_entry *php_filelock_ce_semaphore;
extern zend_class_entry *php_filelock_ce_status;
extern zend_class_entry *php_filelock_ce_exception;
extern zend_class_entry *php_filelock_ce_error;

/* ---- php_filelock_stores.c */

/* Finds the open store of this DSN and user, or opens it. The core's result; FL_OK: *opened is set. */
fl_result php_filelock_open(const char *dsn, php_filelock_opened **opened, fl_error *error);
/* filelock.store, spelled out if it is empty. */
const char *php_filelock_default_dsn(void);
/* The request's store: filelock.store at its first use. */
fl_result php_filelock_resolve(php_filelock_opened **opened, fl_error *error);
/* The same for functions; NULL = an exception was thrown. */
php_filelock_opened *php_filelock_current(void);
/* The same, made ready for taking. */
php_filelock_opened *php_filelock_current_for_taking(void);
/* The set of what the request takes there, at its first use; NULL = an exception was thrown. See php_filelock_holdings(). */
fl_holdings *php_filelock_first_holdings(void);
/* The next use resolves the store anew. */
void php_filelock_forget_current(void);
/* After an error: has the process another user now, and may the request go to his store? Then try again. */
bool php_filelock_user_changed(void);
/* Closes what nobody uses, but for the most recent few that the setting named. */
void php_filelock_close_idle(void);
void php_filelock_close_all(php_filelock_opened *opened);

static zend_always_inline fl_holdings *php_filelock_holdings(void)
{
    fl_holdings *holdings = FILELOCK_G(holdings);
    return EXPECTED(holdings != NULL) ? holdings : php_filelock_first_holdings();
}

/* ---- php_filelock_label.c */

void php_filelock_tell_label(php_filelock_opened *opened);
/* filelock.label has changed in the middle of a request. */
void php_filelock_label_changed(void);

/* ---- php_filelock_lost.c */

/* A fl_lost_function; context: php_filelock_loss **. */
void php_filelock_note_loss(void *context, const char *name, size_t length, int64_t ago);
/* As E_WARNING. Frees the list. May throw (the user's error handler). */
void php_filelock_warn_of(php_filelock_loss *losses);
/* What is in FILELOCK_G(losses), when it is too late for warnings. */
void php_filelock_log(void);
/* Losses in all that the request holds, and what is in FILELOCK_G(losses). Gives nothing back. */
php_filelock_loss *php_filelock_find_losses(void);
/* Gives back what filelock_try() and filelock_acquire() took; how many were still the request's. */
size_t php_filelock_give_back(php_filelock_loss **losses);
/* The same, and what filelock_run() and objects took: for the end of a request. Losses go to FILELOCK_G(losses). */
void php_filelock_give_back_all(void);
/* A name for a message; bytes that are not printable as \xNN. */
zend_string *php_filelock_quote(const char *name, size_t length);

/* ---- php_filelock_wait.c */

typedef struct {
    fl_interrupt interrupt;
    bool interrupted;
    bool bailed_out;
    bool ended; /* set by whoever wants the wait to end as if the time had run out */
} php_filelock_wait;

/* wait->interrupt lets signal handlers, time limits and the like act, and stops the wait when one of them wants to leave. */
void php_filelock_wait_init(php_filelock_wait *wait);
/* Goes on with the bail-out that ended the wait, if one did. The core must have let go of everything. */
void php_filelock_wait_leave(const php_filelock_wait *wait);

/* ---- php_filelock_error.c */

/* The numbers of a function's arguments, by fl_argument; 0 = it has no such argument, or it was not given. */
typedef uint32_t php_filelock_arguments[FL_ARG_PERMITS + 1];

/*
 * The exception for FL_ERROR, as described by `error`, and for FL_SELF, which is about `name`. The only place that chooses
 * one: ValueError where `arguments` knows the argument, else LockException or LockError.
 */
ZEND_COLD void php_filelock_throw(fl_result result, const fl_error *error, zend_string *name,
                                  const php_filelock_arguments arguments);
/* Throws at once what taking a name with this ttl would throw; argument 1, and ttl_number or 0. False = it has thrown. */
bool php_filelock_check(const fl_store *store, zend_string *name, double ttl, uint32_t ttl_number);

/* ---- php_filelock_status.c */

void php_filelock_status_init(zend_class_entry *ce);
/* What fl_status() came to, as a function's result: an object, null, or an exception about argument 1. */
void php_filelock_return_status(fl_result result, const fl_status_t *status, const fl_error *error, zval *return_value);
/* Calls fl_list(), returns an array, or throws about argument 1. */
void php_filelock_return_list(fl_store *store, zend_string *prefix, zval *return_value);

/* ---- php_filelock_store.c, php_filelock_info.c */

void php_filelock_store_init(zend_class_entry *ce);
/* The store of a FileLock\Store; NULL = an exception was thrown, the constructor has failed. */
php_filelock_opened *php_filelock_opened_of(zval *object);
PHP_MINFO_FUNCTION(filelock);

/* ---- php_filelock_lease.c, php_filelock_lock.c, php_filelock_semaphore.c */

/* Looks for losses in all objects, gives nothing back. */
void php_filelock_find_lost_leases(php_filelock_loss **losses);
/* Gives back what objects have that the engine did not free. */
void php_filelock_give_back_leases(php_filelock_loss **losses);

void php_filelock_lock_init(zend_class_entry *ce);
void php_filelock_semaphore_init(zend_class_entry *ce);

#endif

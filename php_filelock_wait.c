/*
 * A wait lets the engine act: signal handlers, time limits and profilers set EG(vm_interrupt), which the virtual machine looks
 * at between two instructions, and a wait is none.
 *
 * What they do may end in a bail-out (exit in old style, a fatal error, the time limit): a jump over the core, which would stay
 * in the queue. So it is caught here, the core leaves in order, and php_filelock_wait_leave() jumps on.
 */
#include "php_filelock.h"

#include "zend_atomic.h"
#include "zend_execute.h"

static void let_engine_act(void)
{
    zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
    if (zend_atomic_bool_load_ex(&EG(timed_out)))
        zend_timeout();
    else if (zend_interrupt_function != NULL)
        zend_interrupt_function(EG(current_execute_data));
}

static int stop(void *context)
{
    php_filelock_wait *wait = context;
    if (zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
        zend_try
        {
            let_engine_act();
        }
        zend_catch
        {
            wait->bailed_out = true;
        }
        zend_end_try();
    }
    return wait->bailed_out || EG(exception) != NULL;
}

void php_filelock_wait_init(php_filelock_wait *wait)
{
    wait->interrupt.stop = stop;
    wait->interrupt.context = wait;
    wait->bailed_out = false;
}

void php_filelock_wait_leave(const php_filelock_wait *wait)
{
    if (UNEXPECTED(wait->bailed_out))
        zend_bailout();
}

/*
 * A wait lets the engine act: signal handlers, time limits and profilers set EG(vm_interrupt), which the virtual machine looks
 * at between two instructions, and a wait is none.
 *
 * What they do may end in a bail-out (exit in old style, a fatal error, the time limit): a jump over the core, which would stay
 * in the queue. So it is caught here, the core leaves in order, and php_filelock_wait_leave() jumps on.
 *
 * Clearing the flag may hide from the virtual machine what only it knows how to handle (a distribution's PHP reports the memory
 * limit that way), so the flag is raised again after the wait.
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
        wait->interrupted = true;
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
    return wait->bailed_out || wait->ended || EG(exception) != NULL;
}

void php_filelock_wait_init(php_filelock_wait *wait)
{
    wait->interrupt.stop = stop;
    wait->interrupt.context = wait;
    wait->interrupted = wait->bailed_out = wait->ended = false;
}

void php_filelock_wait_leave(const php_filelock_wait *wait)
{
    if (UNEXPECTED(wait->interrupted))
        zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
    if (UNEXPECTED(wait->bailed_out))
        zend_bailout();
}

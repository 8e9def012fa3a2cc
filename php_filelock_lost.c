/*
 * Giving back, and telling of what was lost by then.
 *
 * A loss is noted first and told afterwards: telling may run the user's error handler, which may throw, exit, and use the
 * functions itself, and the core must not be on the stack then. The notes are malloc'ed, since the memory limit may have been
 * what ended the request.
 */
#include "php_filelock.h"

#include "zend_exceptions.h"
#include "zend_smart_str.h"

void php_filelock_note_loss(void *context, const char *name, size_t length, int64_t ago)
{
    php_filelock_loss **losses = context, *loss = malloc(sizeof *loss);
    if (loss == NULL)
        return;
    loss->ago = ago;
    loss->length = length;
    memcpy(loss->name, name, length);
    loss->next = *losses;
    *losses = loss;
}

zend_string *php_filelock_quote(const char *name, size_t length)
{
    smart_str quoted = {0};
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c < 0x20 || c == 0x7f)
            smart_str_append_printf(&quoted, "\\x%02X", c);
        else
            smart_str_appendc(&quoted, (char)c);
    }
    return smart_str_extract(&quoted);
}

static zend_string *describe(const php_filelock_loss *loss)
{
    zend_string *name = php_filelock_quote(loss->name, loss->length), *text;
    if (loss->ago >= 0)
        text =
            strpprintf(0,
                       "\"%s\" expired %.3f s before it was given back; another process may have run at the same time. "
                       "Take it with a longer ttl, or refresh it",
                       ZSTR_VAL(name), (double)loss->ago / 1e9);
    else
        text = strpprintf(
            0,
            "\"%s\" was broken, or its storage vanished, before it was given back; another process may have run "
            "at the same time",
            ZSTR_VAL(name));
    zend_string_release(name);
    return text;
}

/* Frees the first loss of the list, returns its text. */
static zend_string *take_text(php_filelock_loss **losses)
{
    php_filelock_loss *loss = *losses;
    *losses = loss->next;
    zend_string *text = describe(loss);
    free(loss);
    return text;
}

/* php_error_docref() names the function that runs; the bottom frame of a fiber has none. */
static bool is_in_function(void)
{
    const zend_execute_data *frame = EG(current_execute_data);
    return frame != NULL && frame->func != NULL &&
           (ZEND_USER_CODE(frame->func->type) || frame->func->common.function_name != NULL);
}

static void warn(const char *text)
{
    if (is_in_function())
        php_error_docref(NULL, E_WARNING, "%s", text);
    else
        zend_error(E_WARNING, "filelock: %s", text);
}

/*
 * An exception that is on its way, while a function's variables are freed, waits meanwhile: the engine would not call the user's
 * error handler beside it. The frame that it comes to next has to know already where it was then.
 */
static zend_object *set_aside(const zend_op **place)
{
    zend_object *exception = EG(exception);
    zend_execute_data *frame = EG(current_execute_data);
    if (exception != NULL && frame != NULL && frame->func != NULL && ZEND_USER_CODE(frame->func->type))
        zend_rethrow_exception(frame);
    *place = EG(opline_before_exception);
    EG(exception) = NULL;
    return exception;
}

static void take_up(zend_object *exception, const zend_op *place)
{
    if (exception == NULL)
        return;
    EG(opline_before_exception) = place;
    if (EG(exception) != NULL && zend_is_unwind_exit(exception)) {
        OBJ_RELEASE(EG(exception)); /* the script ends: nothing stops that */
        EG(exception) = NULL;
    }
    if (EG(exception) == NULL)
        EG(exception) = exception;
    else if (zend_is_graceful_exit(exception))
        OBJ_RELEASE(exception); /* the end of a fiber's frames is no exception to be told of */
    else
        zend_exception_set_previous(EG(exception), exception);
}

void php_filelock_warn_of(php_filelock_loss *losses)
{
    const zend_op *place;
    zend_object *exception = set_aside(&place);
    while (losses != NULL) {
        zend_string *text = take_text(&losses);
        warn(ZSTR_VAL(text));
        zend_string_release(text);
    }
    take_up(exception, place);
}

static php_filelock_loss *take_noted(void)
{
    php_filelock_loss *losses = FILELOCK_G(losses);
    FILELOCK_G(losses) = NULL;
    return losses;
}

void php_filelock_log(void)
{
    php_filelock_loss *losses = take_noted();
    while (losses != NULL) {
        zend_string *text = take_text(&losses), *line = strpprintf(0, "PHP Warning:  filelock: %s", ZSTR_VAL(text));
        php_log_err(ZSTR_VAL(line));
        zend_string_release(line);
        zend_string_release(text);
    }
}

php_filelock_loss *php_filelock_find_losses(void)
{
    php_filelock_loss *losses = take_noted();
    for (php_filelock_opened *opened = FILELOCK_G(opened); opened != NULL; opened = opened->next)
        fl_holdings_report(opened->holdings, php_filelock_note_loss, &losses);
    for (php_filelock_work *work = FILELOCK_G(works); work != NULL; work = work->next)
        fl_holdings_report(work->holdings, php_filelock_note_loss, &losses);
    php_filelock_find_lost_leases(&losses);
    return losses;
}

/* All stores: a signal handler may have made the request resolve another one during a wait. */
size_t php_filelock_give_back(php_filelock_loss **losses)
{
    size_t mine = 0;
    for (php_filelock_opened *opened = FILELOCK_G(opened); opened != NULL; opened = opened->next)
        mine += fl_holdings_release_all(opened->holdings, php_filelock_note_loss, losses);
    php_filelock_forget_current();
    return mine;
}

void php_filelock_give_back_all(void)
{
    php_filelock_loss **losses = &FILELOCK_G(losses);
    while (FILELOCK_G(works) != NULL) {
        php_filelock_work *work = FILELOCK_G(works);
        FILELOCK_G(works) = work->next;
        fl_holdings_release_all(work->holdings, php_filelock_note_loss, losses);
        fl_holdings_free(work->holdings);
        free(work);
    }
    php_filelock_give_back_leases(losses);
    php_filelock_give_back(losses);
}

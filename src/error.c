#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_message(fl_error *error, const char *format, va_list arguments)
{
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

/* strerror_r has two signatures; this accepts both, so that glibc and musl need no #if. */
static const char *text_of(const char *gnu, const char *buffer)
{
    (void)buffer;
    return gnu;
}
static const char *text_of_xsi(int result, const char *buffer)
{
    return result == 0 ? buffer : "unknown error";
}
#define TEXT_OF(call, buffer) _Generic((call), int : text_of_xsi, default : text_of)(call, buffer)

static void append_system_text(fl_error *error, int code)
{
    char buffer[128];
    size_t used = strlen(error->message);
    const char *text = TEXT_OF(strerror_r(code, buffer, sizeof buffer), buffer);
    snprintf(error->message + used, sizeof error->message - used, ": %s", text);
}

fl_result fl_fail(fl_error *error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->fault = FL_WORLD_FAILED;
    error->argument = FL_ARG_NONE;
    error->code = code;
    put_message(error, format, arguments);
    va_end(arguments);
    if (code != 0)
        append_system_text(error, code);
    return FL_ERROR;
}

fl_result fl_refuse(fl_error *error, fl_argument argument, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->fault = FL_BAD_ARGUMENT;
    error->argument = argument;
    error->code = 0;
    put_message(error, format, arguments);
    va_end(arguments);
    return FL_ERROR;
}

fl_result fl_not_offered(fl_error *error, fl_argument argument, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->fault = FL_NOT_OFFERED;
    error->argument = argument;
    error->code = 0;
    put_message(error, format, arguments);
    va_end(arguments);
    return FL_ERROR;
}

void fl_advise(fl_error *error, const char *format, ...)
{
    size_t used = strlen(error->message);
    int n = snprintf(error->message + used, sizeof error->message - used, "; ");
    used += (size_t)n;
    if (used >= sizeof error->message)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
    va_end(arguments);
}

void fl_tell(fl_check_function each, void *context, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    each(context, text);
}

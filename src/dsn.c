#include "dsn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define DSN_EXAMPLE "write it as in table:/run/app?mode=0660"

/* Copies text[0..n) with percent escapes resolved. False: too long, a bad escape, or a 0 byte. */
static bool unescape(const char *text, size_t n, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= n)
                return false;
            char hex[3] = {text[i + 1], text[i + 2], 0};
            if (strspn(hex, "0123456789abcdefABCDEF") != 2)
                return false;
            c = (char)strtoul(hex, NULL, 16);
            i += 2;
        }
        if (c == '\0' || used + 1 >= size)
            return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

static fl_result parse_path(const char *text, size_t n, fl_dsn *dsn, fl_error *error)
{
    if (!unescape(text, n, dsn->path, sizeof dsn->path))
        return fl_refuse(error, FL_ARG_DSN, "has a path that is longer than %d bytes or badly escaped; " DSN_EXAMPLE,
                         FL_DSN_PATH_MAX - 1);
    if (dsn->path[0] != '\0' && dsn->path[0] != '/')
        return fl_refuse(error, FL_ARG_DSN,
                         "must have an absolute path, \"%s\" is relative: two scripts with different working "
                         "directories would not share a lock; write it as in %s:/run/app",
                         dsn->path, dsn->scheme);
    for (size_t length = strlen(dsn->path); length > 1 && dsn->path[length - 1] == '/'; length--)
        dsn->path[length - 1] = '\0';
    return FL_OK;
}

/* Which of the two is meant nobody can know, and two who guess differently would not share a lock. */
static bool is_repeated(const fl_dsn *dsn, size_t option)
{
    for (size_t i = 0; i < option; i++)
        if (strcmp(dsn->option[i].key, dsn->option[option].key) == 0)
            return true;
    return false;
}

static fl_result parse_option(const char *text, size_t n, fl_dsn *dsn, fl_error *error)
{
    const char *equals = memchr(text, '=', n);
    if (equals == NULL || dsn->options == FL_DSN_OPTIONS)
        return fl_refuse(error, FL_ARG_DSN, "has an option \"%.*s\" that is not key=value; " DSN_EXAMPLE, (int)n, text);
    size_t key = (size_t)(equals - text), i = dsn->options;
    if (!unescape(text, key, dsn->option[i].key, sizeof dsn->option[i].key) ||
        !unescape(equals + 1, n - key - 1, dsn->option[i].value, sizeof dsn->option[i].value))
        return fl_refuse(error, FL_ARG_DSN, "has an option \"%.*s\" that is too long; " DSN_EXAMPLE, (int)n, text);
    if (is_repeated(dsn, i))
        return fl_refuse(error, FL_ARG_DSN, "has the option \"%s\" twice; " DSN_EXAMPLE, dsn->option[i].key);
    dsn->options++;
    return FL_OK;
}

static fl_result parse_options(const char *text, fl_dsn *dsn, fl_error *error)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "&");
        fl_result result = parse_option(text, n, dsn, error);
        if (result != FL_OK)
            return result;
        text += n + (text[n] == '&');
    }
    return FL_OK;
}

fl_result dsn_parse(const char *text, fl_dsn *dsn, fl_error *error)
{
    memset(dsn, 0, sizeof *dsn);
    if (*text == '\0')
        text = "table:";
    size_t scheme = strcspn(text, ":/?");
    if (text[scheme] != ':' || scheme == 0 || scheme >= sizeof dsn->scheme)
        return fl_refuse(error, FL_ARG_DSN, "must start with the kind of the store, \"%.40s\" does not; " DSN_EXAMPLE,
                         text);
    memcpy(dsn->scheme, text, scheme);
    const char *path = text + scheme + 1;
    size_t n = strcspn(path, "?");
    fl_result result = parse_path(path, n, dsn, error);
    if (result == FL_OK && path[n] == '?')
        result = parse_options(path + n + 1, dsn, error);
    return result;
}

fl_result dsn_number(const fl_dsn *dsn, size_t option, int base, uint64_t least, uint64_t most, uint64_t *number,
                     fl_error *error)
{
    const char *value = dsn->option[option].value;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, base);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n < least || n > most) {
        const char *format = base == 8 ? "must have %s between %04llo and %04llo, not \"%s\""
                                       : "must have %s between %llu and %llu, not \"%s\"";
        return fl_refuse(error, FL_ARG_DSN, format, dsn->option[option].key, (unsigned long long)least,
                         (unsigned long long)most, value);
    }
    *number = n;
    return FL_OK;
}

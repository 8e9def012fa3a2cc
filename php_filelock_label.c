/*
 * Who this request is, as others see it in a status: filelock.label, else "cli bin/console app:import" or "fpm-fcgi GET /path".
 * Told to a store at the request's first taking; a request that takes nothing pays nothing.
 */
#include "php_filelock.h"

#include "SAPI.h"

/* All of these write at most FL_LABEL_MAX bytes and a 0, and return what snprintf() returns. */

static int write_script(char *label)
{
    int argc = SG(request_info).argc;
    char **argv = SG(request_info).argv;
    const char *script = argc > 0 && argv != NULL ? argv[0] : "";
    const char *first = argc > 1 && argv != NULL ? argv[1] : "";
    return snprintf(label, FL_LABEL_MAX + 1, "%s%s%s%s%s", sapi_module.name, *script ? " " : "", script,
                    *first ? " " : "", first);
}

/* Without the query, which may carry secrets. */
static int write_path(char *label, const char *uri)
{
    return snprintf(label, FL_LABEL_MAX + 1, "%s %s %.*s", sapi_module.name, SG(request_info).request_method,
                    (int)strcspn(uri, "?"), uri);
}

/* REQUEST_URI is what the client asked for; PHP-FPM's request_info names the front controller instead. */
static int write_web_request(char *label)
{
    char *asked = sapi_getenv(ZEND_STRL("REQUEST_URI"));
    const char *uri = asked != NULL ? asked : SG(request_info).request_uri;
    int length = write_path(label, uri != NULL ? uri : "");
    if (asked != NULL)
        efree(asked);
    return length;
}

static int write_label(char *label)
{
    if (*FILELOCK_G(label) != '\0')
        return snprintf(label, FL_LABEL_MAX + 1, "%s", FILELOCK_G(label));
    return SG(request_info).request_method != NULL ? write_web_request(label) : write_script(label);
}

void php_filelock_tell_label(php_filelock_opened *opened)
{
    if (opened->labelled)
        return;
    char label[FL_LABEL_MAX + 1];
    int length = write_label(label);
    fl_set_label(opened->store, label, MIN((size_t)MAX(length, 0), FL_LABEL_MAX));
    opened->labelled = true;
}

void php_filelock_label_changed(void)
{
    for (php_filelock_opened *opened = FILELOCK_G(opened); opened != NULL; opened = opened->next) {
        if (!opened->labelled)
            continue;
        opened->labelled = false;
        php_filelock_tell_label(opened);
    }
}

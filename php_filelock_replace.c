/* filelock_put_contents(): a path as PHP understands it, and whether a script may write there. */
#include "php_filelock.h"

#include <errno.h>

#include "ext/standard/php_filestat.h"
#include "zend_exceptions.h"

#include "src/replace.h"

/* As PHP recognises a stream wrapper, whether there is one of that name or not. */
static bool is_url(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return n > 1 &&
           (strncmp(text + n, "://", 3) == 0 || zend_binary_strncasecmp(text, n + 1, ZEND_STRL("data:"), 5) == 0);
}

/* False = an exception was thrown. */
static bool is_allowed(const char *path, const char *filename)
{
    if (php_check_open_basedir_ex(path, 0) == 0)
        return true;
    zend_throw_exception_ex(php_filelock_ce_exception, EPERM,
                            "open_basedir does not allow %s, or not the place to which its links lead; take a "
                            "directory that it allows",
                            filename);
    return false;
}

static bool is_path(const zend_string *filename)
{
    if (ZSTR_LEN(filename) == 0)
        zend_argument_value_error(1, "must not be empty");
    else if (is_url(ZSTR_VAL(filename)))
        zend_argument_value_error(1,
                                  "must be the path of a file, not a URL: only a file on this machine can be replaced");
    return EG(exception) == NULL;
}

static ZEND_COLD bool fail(const char *filename, int code, const char *why)
{
    zend_throw_exception_ex(php_filelock_ce_exception, code, "filelock: cannot write %.400s: %s", filename, why);
    return false;
}

/*
 * In the script's own working directory, which is not the process's where there are threads. Its links and ".." are left to the
 * core. False = an exception was thrown.
 */
static bool make_absolute(const char *filename, char path[FL_PATH_SIZE])
{
    char directory[MAXPATHLEN] = "";
    if (*filename != '/')
        expand_filepath_with_mode(".", directory, NULL, 0, CWD_EXPAND);
    if (*filename != '/' && *directory != '/')
        return fail(filename, ENOENT, "the working directory is gone");
    const char *slash = *filename != '/' ? "/" : "";
    if (snprintf(path, FL_PATH_SIZE, "%s%s%s", directory, slash, filename) >= FL_PATH_SIZE)
        return fail(filename, ENAMETOOLONG, "its path is too long");
    return true;
}

/* Both are judged: the path first, so that an error tells nothing of places that are not allowed. */
static bool resolve(const char *filename, char real[FL_PATH_SIZE])
{
    char path[FL_PATH_SIZE];
    fl_error error;
    if (!make_absolute(filename, path) || !is_allowed(path, filename))
        return false;
    if (fl_resolve_file(path, real, &error) == FL_OK)
        return is_allowed(real, filename);
    php_filelock_throw(FL_ERROR, &error, NULL, (php_filelock_arguments){0});
    return false;
}

PHP_FUNCTION(filelock_put_contents)
{
    zend_string *filename, *data;
    char real[FL_PATH_SIZE];
    fl_error error;

    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_PATH_STR(filename)
        Z_PARAM_STR(data)
    ZEND_PARSE_PARAMETERS_END();

    if (!is_path(filename) || !resolve(ZSTR_VAL(filename), real))
        RETURN_THROWS();
    fl_result result = fl_replace_file(real, ZSTR_VAL(data), ZSTR_LEN(data), &error);
    php_clear_stat_cache(0, NULL, 0);
    if (result == FL_OK)
        RETURN_LONG((zend_long)ZSTR_LEN(data));
    php_filelock_throw(result, &error, NULL, (php_filelock_arguments){0});
    RETURN_THROWS();
}

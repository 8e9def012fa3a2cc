/*
 * A SAPI that calls itself frankenphp and treats a script as FrankenPHP's worker mode does: the script calls next_request(), which
 * ends one request and begins the next one in the order that FrankenPHP has. Modules are not told: no RSHUTDOWN, no RINIT.
 *
 *     worker PHP_INI SCRIPT
 */
#include <sapi/embed/php_embed.h>

#include "ext/standard/php_standard.h"
#include "php_main.h"
#include "php_output.h"

static void end_request(void)
{
    zend_try
    {
        php_output_end_all();
    }
    zend_end_try();
    zend_try
    {
        php_output_deactivate();
    }
    zend_end_try();
    zend_try
    {
        sapi_deactivate();
    }
    zend_end_try();
}

static void begin_request(void)
{
    php_output_activate();
    PG(header_is_being_sent) = 0;
    PG(connection_status) = PHP_CONNECTION_NORMAL;
    sapi_activate();
}

ZEND_BEGIN_ARG_INFO(arguments, 0)
ZEND_END_ARG_INFO()

static PHP_FUNCTION(next_request)
{
    ZEND_PARSE_PARAMETERS_NONE();

    end_request();
    begin_request();
}

static const zend_function_entry functions[] = {PHP_FE(next_request, arguments) PHP_FE_END};

int main(int argc, char **argv)
{
    php_embed_module.name = "frankenphp";
    php_embed_module.php_ini_path_override = argv[1];
    if (argc != 3 || php_embed_init(1, argv) == FAILURE)
        return 1;
    zend_register_functions(NULL, functions, NULL, MODULE_PERSISTENT);
    zend_first_try
    {
        zend_file_handle script;
        zend_stream_init_filename(&script, argv[2]);
        php_execute_script(&script);
        zend_destroy_file_handle(&script);
    }
    zend_end_try();
    php_embed_shutdown();
    return 0;
}

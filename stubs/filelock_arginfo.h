/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 8d969470a929a40ff5b3dc17af6073709f3e4ea5 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_try, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_acquire, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, timeout, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_run, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, work, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_release, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_release_all, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_filelock_refresh arginfo_filelock_try

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_filelock_status, 0, 1, FileLock\\Status, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_list, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_filelock_put_contents, 0, 2, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, filename, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FileLock_Store___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dsn, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FileLock_Store_lock, 0, 1, FileLock\\Lock, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRelease, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FileLock_Store_semaphore, 0, 2, FileLock\\Semaphore, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, permits, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FileLock_Store_restore, 0, 1, FileLock\\Lock, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FileLock_Store_status arginfo_filelock_status

#define arginfo_class_FileLock_Store_list arginfo_filelock_list

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Store_break, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Store_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FileLock_Store_check arginfo_class_FileLock_Store_stats

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FileLock_Lock___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_tryAcquire, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_acquire, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, timeout, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FileLock_Lock_tryAcquireShared arginfo_class_FileLock_Lock_tryAcquire

#define arginfo_class_FileLock_Lock_acquireShared arginfo_class_FileLock_Lock_acquire

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_refresh, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FileLock_Lock_release arginfo_class_FileLock_Lock_tryAcquire

#define arginfo_class_FileLock_Lock_isAcquired arginfo_class_FileLock_Lock_tryAcquire

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_getRemainingLifetime, 0, 0, IS_DOUBLE, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_getToken, 0, 0, IS_LONG, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FileLock_Lock_getKey, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FileLock_Semaphore___construct arginfo_class_FileLock_Lock___construct

#define arginfo_class_FileLock_Semaphore_tryAcquire arginfo_class_FileLock_Lock_tryAcquire

#define arginfo_class_FileLock_Semaphore_acquire arginfo_class_FileLock_Lock_acquire

#define arginfo_class_FileLock_Semaphore_refresh arginfo_class_FileLock_Lock_refresh

#define arginfo_class_FileLock_Semaphore_release arginfo_class_FileLock_Lock_tryAcquire

#define arginfo_class_FileLock_Semaphore_isAcquired arginfo_class_FileLock_Lock_tryAcquire

#define arginfo_class_FileLock_Status___construct arginfo_class_FileLock_Lock___construct

#define arginfo_class_FileLock_Status___toString arginfo_class_FileLock_Lock_getKey


ZEND_FUNCTION(filelock_try);
ZEND_FUNCTION(filelock_acquire);
ZEND_FUNCTION(filelock_run);
ZEND_FUNCTION(filelock_release);
ZEND_FUNCTION(filelock_release_all);
ZEND_FUNCTION(filelock_refresh);
ZEND_FUNCTION(filelock_status);
ZEND_FUNCTION(filelock_list);
ZEND_FUNCTION(filelock_put_contents);
ZEND_METHOD(FileLock_Store, __construct);
ZEND_METHOD(FileLock_Store, lock);
ZEND_METHOD(FileLock_Store, semaphore);
ZEND_METHOD(FileLock_Store, restore);
ZEND_METHOD(FileLock_Store, status);
ZEND_METHOD(FileLock_Store, list);
ZEND_METHOD(FileLock_Store, break);
ZEND_METHOD(FileLock_Store, stats);
ZEND_METHOD(FileLock_Store, check);
ZEND_METHOD(FileLock_Lock, __construct);
ZEND_METHOD(FileLock_Lock, tryAcquire);
ZEND_METHOD(FileLock_Lock, acquire);
ZEND_METHOD(FileLock_Lock, tryAcquireShared);
ZEND_METHOD(FileLock_Lock, acquireShared);
ZEND_METHOD(FileLock_Lock, refresh);
ZEND_METHOD(FileLock_Lock, release);
ZEND_METHOD(FileLock_Lock, isAcquired);
ZEND_METHOD(FileLock_Lock, getRemainingLifetime);
ZEND_METHOD(FileLock_Lock, getToken);
ZEND_METHOD(FileLock_Lock, getKey);
ZEND_METHOD(FileLock_Semaphore, __construct);
ZEND_METHOD(FileLock_Semaphore, tryAcquire);
ZEND_METHOD(FileLock_Semaphore, acquire);
ZEND_METHOD(FileLock_Semaphore, refresh);
ZEND_METHOD(FileLock_Semaphore, release);
ZEND_METHOD(FileLock_Semaphore, isAcquired);
ZEND_METHOD(FileLock_Status, __construct);
ZEND_METHOD(FileLock_Status, __toString);


static const zend_function_entry ext_functions[] = {
	ZEND_FE(filelock_try, arginfo_filelock_try)
	ZEND_FE(filelock_acquire, arginfo_filelock_acquire)
	ZEND_FE(filelock_run, arginfo_filelock_run)
	ZEND_FE(filelock_release, arginfo_filelock_release)
	ZEND_FE(filelock_release_all, arginfo_filelock_release_all)
	ZEND_FE(filelock_refresh, arginfo_filelock_refresh)
	ZEND_FE(filelock_status, arginfo_filelock_status)
	ZEND_FE(filelock_list, arginfo_filelock_list)
	ZEND_FE(filelock_put_contents, arginfo_filelock_put_contents)
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_Store_methods[] = {
	ZEND_ME(FileLock_Store, __construct, arginfo_class_FileLock_Store___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, lock, arginfo_class_FileLock_Store_lock, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, semaphore, arginfo_class_FileLock_Store_semaphore, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, restore, arginfo_class_FileLock_Store_restore, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, status, arginfo_class_FileLock_Store_status, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, list, arginfo_class_FileLock_Store_list, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, break, arginfo_class_FileLock_Store_break, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, stats, arginfo_class_FileLock_Store_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Store, check, arginfo_class_FileLock_Store_check, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_Lock_methods[] = {
	ZEND_ME(FileLock_Lock, __construct, arginfo_class_FileLock_Lock___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FileLock_Lock, tryAcquire, arginfo_class_FileLock_Lock_tryAcquire, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, acquire, arginfo_class_FileLock_Lock_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, tryAcquireShared, arginfo_class_FileLock_Lock_tryAcquireShared, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, acquireShared, arginfo_class_FileLock_Lock_acquireShared, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, refresh, arginfo_class_FileLock_Lock_refresh, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, release, arginfo_class_FileLock_Lock_release, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, isAcquired, arginfo_class_FileLock_Lock_isAcquired, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, getRemainingLifetime, arginfo_class_FileLock_Lock_getRemainingLifetime, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, getToken, arginfo_class_FileLock_Lock_getToken, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Lock, getKey, arginfo_class_FileLock_Lock_getKey, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_Semaphore_methods[] = {
	ZEND_ME(FileLock_Semaphore, __construct, arginfo_class_FileLock_Semaphore___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FileLock_Semaphore, tryAcquire, arginfo_class_FileLock_Semaphore_tryAcquire, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Semaphore, acquire, arginfo_class_FileLock_Semaphore_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Semaphore, refresh, arginfo_class_FileLock_Semaphore_refresh, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Semaphore, release, arginfo_class_FileLock_Semaphore_release, ZEND_ACC_PUBLIC)
	ZEND_ME(FileLock_Semaphore, isAcquired, arginfo_class_FileLock_Semaphore_isAcquired, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_Status_methods[] = {
	ZEND_ME(FileLock_Status, __construct, arginfo_class_FileLock_Status___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FileLock_Status, __toString, arginfo_class_FileLock_Status___toString, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_LockException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FileLock_LockError_methods[] = {
	ZEND_FE_END
};

static zend_class_entry *register_class_FileLock_Store(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "Store", class_FileLock_Store_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "restore", sizeof("restore") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_FileLock_Lock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "Lock", class_FileLock_Lock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FileLock_Semaphore(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "Semaphore", class_FileLock_Semaphore_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FileLock_Status(zend_class_entry *class_entry_Stringable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "Status", class_FileLock_Status_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Stringable);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_shared_default_value;
	ZVAL_UNDEF(&property_shared_default_value);
	zend_string *property_shared_name = zend_string_init("shared", sizeof("shared") - 1, 1);
	zend_declare_typed_property(class_entry, property_shared_name, &property_shared_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_shared_name);

	zval property_holders_default_value;
	ZVAL_UNDEF(&property_holders_default_value);
	zend_string *property_holders_name = zend_string_init("holders", sizeof("holders") - 1, 1);
	zend_declare_typed_property(class_entry, property_holders_name, &property_holders_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_holders_name);

	zval property_waiters_default_value;
	ZVAL_UNDEF(&property_waiters_default_value);
	zend_string *property_waiters_name = zend_string_init("waiters", sizeof("waiters") - 1, 1);
	zend_declare_typed_property(class_entry, property_waiters_name, &property_waiters_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_waiters_name);

	zval property_mine_default_value;
	ZVAL_UNDEF(&property_mine_default_value);
	zend_string *property_mine_name = zend_string_init("mine", sizeof("mine") - 1, 1);
	zend_declare_typed_property(class_entry, property_mine_name, &property_mine_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_mine_name);

	zval property_token_default_value;
	ZVAL_UNDEF(&property_token_default_value);
	zend_string *property_token_name = zend_string_init("token", sizeof("token") - 1, 1);
	zend_declare_typed_property(class_entry, property_token_name, &property_token_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_token_name);

	zval property_pid_default_value;
	ZVAL_UNDEF(&property_pid_default_value);
	zend_string *property_pid_name = zend_string_init("pid", sizeof("pid") - 1, 1);
	zend_declare_typed_property(class_entry, property_pid_name, &property_pid_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_pid_name);

	zval property_uid_default_value;
	ZVAL_UNDEF(&property_uid_default_value);
	zend_string *property_uid_name = zend_string_init("uid", sizeof("uid") - 1, 1);
	zend_declare_typed_property(class_entry, property_uid_name, &property_uid_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_uid_name);

	zval property_host_default_value;
	ZVAL_UNDEF(&property_host_default_value);
	zend_string *property_host_name = zend_string_init("host", sizeof("host") - 1, 1);
	zend_declare_typed_property(class_entry, property_host_name, &property_host_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_host_name);

	zval property_label_default_value;
	ZVAL_UNDEF(&property_label_default_value);
	zend_string *property_label_name = zend_string_init("label", sizeof("label") - 1, 1);
	zend_declare_typed_property(class_entry, property_label_name, &property_label_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_label_name);

	zval property_since_default_value;
	ZVAL_UNDEF(&property_since_default_value);
	zend_string *property_since_name = zend_string_init("since", sizeof("since") - 1, 1);
	zend_declare_typed_property(class_entry, property_since_name, &property_since_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_since_name);

	zval property_remaining_default_value;
	ZVAL_UNDEF(&property_remaining_default_value);
	zend_string *property_remaining_name = zend_string_init("remaining", sizeof("remaining") - 1, 1);
	zend_declare_typed_property(class_entry, property_remaining_name, &property_remaining_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_remaining_name);

	return class_entry;
}

static zend_class_entry *register_class_FileLock_LockException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "LockException", class_FileLock_LockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_FileLock_LockError(zend_class_entry *class_entry_Error)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FileLock", "LockError", class_FileLock_LockError_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Error);

	return class_entry;
}

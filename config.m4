PHP_ARG_ENABLE([filelock],
  [whether to enable filelock],
  [AS_HELP_STRING([--enable-filelock],
    [Enable filelock: locks on resources that tell who holds them])])

PHP_ARG_ENABLE([filelock-dev],
  [whether filelock's warnings are errors],
  [AS_HELP_STRING([--enable-filelock-dev],
    [filelock: strict compiler warnings, for its developers])],
  [no],
  [no])

if test "$PHP_FILELOCK" != "no"; then
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
    #if !defined(__linux__) || !defined(__LP64__)
    # error unsupported
    #endif
  ]])], [], [AC_MSG_ERROR([filelock needs 64-bit Linux; it does not work on this system.])])

  filelock_php_version=${PHP_VERSION_ID:-`$PHP_CONFIG --vernum`}
  if test "$filelock_php_version" -lt 80200; then
    AC_MSG_ERROR([filelock needs PHP 8.2 or later; this one is number $filelock_php_version.])
  fi

  FILELOCK_CFLAGS="-std=gnu11 -fvisibility=hidden -I@ext_srcdir@/src -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  if test "$PHP_FILELOCK_DEV" != "no"; then
    FILELOCK_CFLAGS="$FILELOCK_CFLAGS -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare"
    FILELOCK_CFLAGS="$FILELOCK_CFLAGS -Wstrict-prototypes -Wformat-security -Wvla"
  fi

  FILELOCK_GLUE="php_filelock.c php_filelock_error.c php_filelock_functions.c php_filelock_info.c \
    php_filelock_label.c php_filelock_lease.c php_filelock_lock.c php_filelock_lost.c php_filelock_replace.c \
    php_filelock_run.c php_filelock_semaphore.c php_filelock_status.c php_filelock_store.c php_filelock_stores.c \
    php_filelock_take.c php_filelock_wait.c"
  FILELOCK_CORE="src/describe.c src/dsn.c src/error.c src/filelock.c src/holdings.c src/os_acl.c src/os_death.c \
    src/os_file.c src/os_kept.c src/os_linux.c src/os_locks.c src/os_mount.c src/os_note.c src/os_process.c src/poll.c \
    src/replace.c src/resolve.c src/sha256.c"
  FILELOCK_TABLE="src/table/attach.c src/table/brisk.c src/table/create.c src/table/crowd.c src/table/entry.c \
    src/table/free.c src/table/handover.c src/table/inspect.c src/table/layout.c src/table/lease.c src/table/look.c \
    src/table/map.c src/table/record.c src/table/share.c src/table/slot.c src/table/stats.c src/table/table.c src/table/wait.c"
  FILELOCK_DIRECTORY="src/directory/check.c src/directory/clock.c src/directory/collect.c src/directory/directory.c \
    src/directory/files.c src/directory/format.c src/directory/give.c src/directory/handover.c src/directory/judge.c \
    src/directory/look.c src/directory/scan.c src/directory/state.c src/directory/step.c src/directory/take.c"
  FILELOCK_FOREIGN="src/foreign/check.c src/foreign/exclusive.c src/foreign/file.c src/foreign/flock.c src/foreign/foreign.c \
    src/foreign/guard.c src/foreign/hold.c src/foreign/judge.c src/foreign/keep.c src/foreign/link.c \
    src/foreign/linked.c src/foreign/mkdir.c src/foreign/place.c src/foreign/remove.c src/foreign/show.c \
    src/foreign/symlink.c src/foreign/touch.c src/foreign/who.c"

  PHP_NEW_EXTENSION([filelock],
    [$FILELOCK_GLUE $FILELOCK_CORE $FILELOCK_TABLE $FILELOCK_DIRECTORY $FILELOCK_FOREIGN],
    [$ext_shared],,
    [$FILELOCK_CFLAGS])
  PHP_ADD_BUILD_DIR([$ext_builddir/src])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/table])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/directory])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/foreign])
  PHP_ADD_MAKEFILE_FRAGMENT
fi

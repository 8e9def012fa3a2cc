# The arginfo is committed, and `./dev check` verifies it. An empty rule keeps PHP's Makefile from making it again
# (which wants a network) merely because a checkout gave the stub the later time.
$(srcdir)/stubs/filelock_arginfo.h: ;

/*
 * The contract of all stores: what every one of them must do, run with each store of stores.h. A test may depend on what the
 * store declares (fl_capabilities()), and on nothing else: a store that declares less must refuse it, in words that lead on.
 */
#ifndef FILELOCK_CONTRACT_H
#define FILELOCK_CONTRACT_H

#include "kinds.h"
#include "suite.h"

typedef struct {
    struct CMUnitTest test;
    unsigned needs, lacks; /* capabilities of the stores that it is run with */
} contract_case;

#define BEGIN_END(function) cmocka_unit_test_setup_teardown(function, contract_begin, suite_end)
#define ALWAYS(function) \
    { \
        BEGIN_END(function), 0, 0 \
    }
#define WITH(function, capabilities) \
    { \
        BEGIN_END(function), capabilities, 0 \
    }
#define WITHOUT(function, capabilities) \
    { \
        BEGIN_END(function), 0, capabilities \
    }
#define RUN_CASES(cases) contract_run(#cases, cases, COUNT(cases))

int contract_begin(void **state);
void contract_run(const char *group, const contract_case *cases, size_t count);

/* The store that the tests are run with now, in a fresh directory. */
const char *the_dsn(void);
const char *the_directory(void);
bool it_can(unsigned capabilities);
double its_grace(double ttl);

/* A store object in this process, and peers that have opened the store. */
fl_store *open_it(void);
void open_peer(peer *p);
/* Another's holding of `name`, as `p` sees it in a status. */
void expect_held_by(peer *p, const peer *holder, const char *name);

/* All that is in the directory, with times, rights and contents; malloced. */
char *snapshot(void);

/* matrix.c: the capabilities of all stores, as in the manual. */
void matrix_print(void);
void the_manual_has_the_matrix(void **state);

typedef struct {
    const char *title, *dsn;
} contract_store;
extern const contract_store contract_stores[];
extern const size_t contract_store_count;

#endif

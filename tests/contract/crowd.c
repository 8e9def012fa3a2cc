/* What is declared beyond one holder without an end: leases for ever, order, readers, permits. Each in short; tests/core has more. */
#include "contract.h"

static peer a, b, c, d;

static void begin(void)
{
    open_peer(&a);
    open_peer(&b);
    open_peer(&c);
    open_peer(&d);
}

static void for_ever(void **state)
{
    (void)state;
    begin();
    EXPECT(&a, "ok", "try 0 inf x");
    EXPECT(&b, "busy", "try 0 100 x");
    EXPECT(&b, "ok", "status x");
    assert_true(isinf(peer_number(&b, "remaining=")));
    peer_kill(&a);
    EXPECT(&b, "ok", "try 0 inf x");
    EXPECT(&b, "ok", "release 0");
}

static void first_come_first_served(void **state)
{
    (void)state;
    fl_store *store = open_it();
    peer *const waiters[] = {&b, &c, &d};
    begin();
    EXPECT(&a, "ok", "try 0 100 x");
    for (uint32_t i = 0; i < COUNT(waiters); i++) {
        peer_tell(waiters[i], "acquire 0 100 inf x");
        await_waiters(store, "x", i + 1);
    }
    EXPECT(&a, "ok", "release 0");
    for (size_t i = 0; i < COUNT(waiters); i++) {
        EXPECT(&a, "busy", "try 0 100 x"); /* no overtaking */
        ANSWER(waiters[i], "ok");
        EXPECT(waiters[i], "ok", "release 0");
    }
    fl_close(store);
}

static void many_readers_or_one_writer(void **state)
{
    (void)state;
    begin();
    EXPECT(&a, "ok", "take 0 shared 0 100 0 x");
    EXPECT(&b, "ok", "take 0 shared 0 100 0 x");
    EXPECT(&c, "busy", "try 0 100 x");
    EXPECT(&a, "busy", "upgrade 0 0");
    EXPECT(&b, "ok", "release 0");
    EXPECT(&a, "ok", "upgrade 0 0");
    EXPECT(&b, "busy", "take 0 shared 0 100 0 x");
    EXPECT(&a, "ok", "downgrade 0");
    EXPECT(&b, "ok", "take 0 shared 0 100 0 x");
}

static void so_many_at_most(void **state)
{
    (void)state;
    begin();
    EXPECT(&a, "ok", "take 0 permit 2 100 0 x");
    EXPECT(&b, "ok", "take 0 permit 2 100 0 x");
    EXPECT(&c, "busy", "take 0 permit 2 100 0 x");
    EXPECT(&c, "busy", "try 0 100 x");
    peer_kill(&a);
    EXPECT(&c, "ok", "take 0 permit 2 100 0 x");
    EXPECT(&d, "busy", "take 0 permit 2 100 0 x");
}

void contract_crowd(void)
{
    static const contract_case cases[] = {
        WITH(for_ever, FL_CAN_FOREVER | FL_CAN_RECOVER),
        WITH(first_come_first_served, FL_CAN_ORDER),
        WITH(many_readers_or_one_writer, FL_CAN_SHARE),
        WITH(so_many_at_most, FL_CAN_COUNT | FL_CAN_RECOVER),
    };
    RUN_CASES(cases);
}

/*
 * Try, sleep, try again. The pauses grow by half from 1 ms to 100 ms, since a lock that was not given back in a second will
 * hardly be in the next millisecond; each is drawn between half of that and all of it, so that waiters who began together do
 * not ask a server together for ever. No pause is longer than the interrupt function may be left alone.
 */
#include "os.h"
#include "policy.h"
#include "store.h"

#define PAUSE_FIRST (1 * INT64_C(1000000))
#define PAUSE_LONGEST (100 * INT64_C(1000000))

static int64_t draw(int64_t most)
{
    uint32_t random = 0;
    os_random(&random, sizeof random); /* without: all wait for the shortest, no harm */
    return most / 2 + (int64_t)(random % (uint32_t)(most / 2 + 1));
}

static int64_t longer(int64_t pause)
{
    return pause + pause / 2 < PAUSE_LONGEST ? pause + pause / 2 : PAUSE_LONGEST;
}

static bool is_stopped(const fl_interrupt *interrupt)
{
    return interrupt != NULL && interrupt->stop(interrupt->context) != 0;
}

/* The interrupt function may have forked, and this may be the child. */
static fl_result try_again(fl_store *store, fl_lease *lease, fl_error *error)
{
    fl_result result = store_is_ready(store) ? FL_OK : store->ops->attach(store, error);
    return result == FL_OK ? store->ops->try(store, lease, error) : result;
}

fl_result policy_poll(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt, fl_error *error)
{
    for (int64_t pause = PAUSE_FIRST;; pause = longer(pause)) {
        fl_result result = try_again(store, lease, error);
        int64_t now = os_now_precise(), end = now + draw(pause);
        if (result != FL_BUSY || now >= until)
            return result;
        os_sleep_interruptible(end < until ? end : until);
        if (is_stopped(interrupt))
            return FL_INTERRUPTED;
    }
}

/*
 * Queues in which everybody's turn is short.
 *
 * To wake a sleeping process takes longer than a short turn, most of all on a processor that sleeps as well (35 us where a turn
 * takes 10). So where turns are short, whoever goes to the end of the queue, and is about to leave its processor idle, calls the
 * first waiter that sleeps to run there instead, before it is its turn; and whoever is called watches its futex for a while
 * before it sleeps again. The number of those who are awake stays that of the processors that wait for nothing else. Order,
 * and what a waiter does when it looks, are as ever: all this decides is when a process sleeps.
 *
 * Watching yields, and so takes the processor from nobody who has something to do; it ends soon, and begins only with a call or
 * behind a short turn of my own: a long wait costs no more than without it.
 */
#include "table.h"

#define SHORT_TURN (30 * INT64_C(1000)) /* ns */
#define WATCH (30 * INT64_C(1000))      /* ns */

void brisk_begin(table *t, const fl_lease *l, int64_t now)
{
    t->turn.word = l->priv[MY_WORD];
    t->turn.since = now;
}

void brisk_end(table *t, const fl_lease *l)
{
    if (t->turn.word != l->priv[MY_WORD])
        return;
    t->turn.entry = (uint32_t)l->priv[MY_ENTRY];
    t->turn.brisk = os_now_precise() - t->turn.since < SHORT_TURN;
}

bool brisk_is(const table *t, uint32_t entry)
{
    return t->turn.brisk && t->turn.entry == entry;
}

bool brisk_watch(const table_record *mine, uint32_t seen)
{
    for (int64_t end = os_now_precise() + WATCH; os_now_precise() < end; os_yield())
        if (atomic_load(&mine->futex) != seen)
            return true;
    return false;
}

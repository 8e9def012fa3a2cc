/* Owned words back to free, whoever owned them. */
#include "table.h"

#include <unistd.h>

bool word_set_free(table *t, table_entry *entry, uint64_t w)
{
    if (word_is_binding(w))
        entry_clean(t, entry, w);
    return word_put_into_service(t, entry, w);
}

bool word_put_into_service(table *t, table_entry *entry, uint64_t w)
{
    /* The low bits of the record's token: right if the swap finds w unchanged (I5). */
    uint64_t token = atomic_load_explicit(&t->map.record[record_of(&t->map, w)].token, memory_order_acquire);
    uint64_t next = word_free(token) | (w & WORD_FLAGS);
    uint32_t left = handover_seen(t, w);
    if (!atomic_compare_exchange_strong_explicit(&entry->word, &w, next, memory_order_seq_cst, memory_order_relaxed))
        return false;
    FL_STEP("free:freed");
    handover_clear(t, record_of(&t->map, w), left);
    if (w & WORD_WAIT)
        crowd_wake(t, entry);
    return true;
}

owner_state word_examine(table *t, table_entry *entry, uint64_t w, int64_t now, fl_error *error)
{
    int fd;
    owner_state state = slot_examine(t, record_of(&t->map, w), now, &fd, error);
    if (state != OWNER_DEAD)
        return state;
    FL_STEP("recover:dead");
    /* Exact: nothing of the dead one's changes hands while fd is open. */
    if (word_set_free(t, entry, w) && !word_is_binding(w))
        count(t, COUNT_RECOVERED);
    close(fd);
    return OWNER_CHANGED;
}

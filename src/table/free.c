/* Words back to free, whoever owned them. */
#include "table.h"

#include <unistd.h>

bool word_set_free(table *t, table_entry *entry, uint64_t w)
{
    uint32_t home = atomic_load_explicit(&entry->home, memory_order_relaxed);
    /* Any counter gives a number that this word has not had: it was drawn for this entry's own bucket, or for none. */
    table_bucket *bucket = &t->map.bucket[home == 0 ? 0 : home_bucket(home) & (t->map.geometry.buckets - 1)];
    uint64_t next = word_free(token_draw(&t->map, bucket)) | (w & WORD_FLAGS);
    /* release: what was done under the lease is done. */
    if (!atomic_compare_exchange_strong_explicit(&entry->word, &w, next, memory_order_acq_rel, memory_order_relaxed))
        return false;
    FL_STEP("free:freed");
    if (w & WORD_WAIT)
        wait_wake(t, entry);
    return true;
}

owner_state word_examine(table *t, table_entry *entry, uint64_t w, int64_t now, fl_error *error)
{
    int fd;
    owner_state state = slot_examine(t, word_record(w), now, &fd, error);
    if (state != OWNER_DEAD)
        return state;
    FL_STEP("recover:dead");
    word_set_free(t, entry, w); /* exact: nothing of the dead one's changes hands while fd is open */
    close(fd);
    return OWNER_CHANGED;
}

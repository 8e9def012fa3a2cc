/*
 * Records belong to slots: own[] says which. A record is claimed by one compare-and-swap and is then its owner's alone until
 * given back (I1).
 */
#include "table.h"

void record_disown(table *t, uint32_t record)
{
    t->owned--;
    /* release: pairs with the claim. */
    atomic_store_explicit(&t->map.own[record], 0, memory_order_release);
}

uint32_t record_claim(table *t, uint32_t first, uint32_t last, uint32_t start)
{
    uint32_t n = last - first + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = start + i <= last ? start + i : start + i - n, nobody = 0;
        if (atomic_load_explicit(&t->map.own[r], memory_order_relaxed) != 0)
            continue;
        /* acquire: what the owner before did to the record is done. */
        if (atomic_compare_exchange_strong_explicit(&t->map.own[r], &nobody, t->me, memory_order_acquire,
                                                    memory_order_relaxed)) {
            t->owned++;
            FL_STEP("record:claimed");
            if (atomic_load(&t->map.pin[r]) == 0)
                return r;
            record_disown(t, r);
        }
    }
    return 0;
}

uint32_t record_claim_another(table *t)
{
    /* Each slot starts at a place of its own, so that claims of different processes seldom meet. */
    const table_geometry *g = &t->map.geometry;
    uint32_t first = g->cells + 1, last = g->records - 1, start = first + t->me * 4 % (last - first + 1);
    uint32_t record = record_claim(t, first, last, start);
    if (record != 0)
        return record;
    handover_sweep(t);
    return record_claim(t, first, last, start);
}

static void raise_cells(table *t, uint32_t cell)
{
    _Atomic uint32_t *mark = &t->map.header->cells_used;
    uint32_t used = atomic_load(mark);
    while (used < cell && !atomic_compare_exchange_weak(mark, &used, cell))
        ;
}

/* The lowest, so that a pass over those that were ever used stays short. */
uint32_t record_take_cell(table *t)
{
    uint32_t cell = record_claim(t, 1, t->map.geometry.cells, 1);
    if (cell == 0)
        return 0;
    raise_cells(t, cell);
    atomic_store(&t->map.pub[cell], 0);
    return cell;
}

fl_result record_no_cell(const table *t, fl_error *error)
{
    fl_fail(error, 0, "filelock: table full: %s has room for %u readers, permits and waiters", t->path,
            t->map.geometry.cells);
    fl_advise(error, "make it anew with a larger capacity");
    return FL_ERROR;
}

fl_result table_is_damaged(const table *t, fl_error *error)
{
    fl_fail(error, 0, "filelock: a lock in %s never comes to rest: the table is damaged", t->path);
    fl_advise(error, "find out who writes into it, then remove it: whoever holds locks in it loses them");
    return FL_ERROR;
}

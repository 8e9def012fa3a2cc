/* The store's counters: the sums over all slots, used or not. */
#include "table.h"

static uint64_t sum(const table_map *map, unsigned counter)
{
    uint64_t n = 0;
    uint32_t used = atomic_load(&map->header->slots_used);
    for (uint32_t i = 0; i < used && i < map->geometry.slots; i++)
        n += atomic_load_explicit(&map->slot[i].counter[counter], memory_order_relaxed);
    return n;
}

fl_result table_stats(fl_store *store, fl_stats *stats, fl_error *error)
{
    table *t = (table *)store;
    *stats = (fl_stats){0};
    fl_result result = table_view(t, error);
    if (result != FL_OK)
        return result == FL_FREE ? FL_OK : result;
    *stats = (fl_stats){
        .acquired = sum(&t->map, COUNT_ACQUIRED),
        .busy = sum(&t->map, COUNT_BUSY),
        .waited = sum(&t->map, COUNT_WAITED),
        .waited_ns = sum(&t->map, COUNT_WAITED_NS),
        .expired = sum(&t->map, COUNT_EXPIRED),
        .recovered = sum(&t->map, COUNT_RECOVERED),
        .broken = sum(&t->map, COUNT_BROKEN),
        .lost = sum(&t->map, COUNT_LOST),
    };
    return FL_OK;
}

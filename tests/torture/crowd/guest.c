#include "guest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HANDS = 3 };

typedef struct {
    marks *m;
    const mode *how;
    fl_store *store;
    fl_error error;
    uint64_t random;
    uint32_t incarnation;
    int held;
    belief belief[HANDS];
} guest;

static uint64_t draw(guest *me, uint64_t below)
{
    me->random ^= me->random << 13;
    me->random ^= me->random >> 7;
    me->random ^= me->random << 17;
    return (me->random >> 11) % below;
}

static void note_error(guest *me)
{
    memcpy(me->m->error, me->error.message, sizeof me->m->error);
    atomic_fetch_add(&me->m->errors, 1);
}

size_t guest_name(int name, char *buffer)
{
    return (size_t)sprintf(buffer, "name %d", name);
}

/* Half without an end, unless it is to be handed over; half so short that being stopped outlasts it. */
static double draw_ttl(guest *me)
{
    return !me->how->hands_over && draw(me, 2) ? INFINITY : (double)(3 + draw(me, 40)) / 1000;
}

static fl_kind draw_kind(guest *me)
{
    fl_kind kind;
    do {
        kind = (fl_kind)draw(me, 3);
    } while (!(me->how->kinds & 1u << kind));
    return kind;
}

static void linger(guest *me)
{
    struct timespec t = {0, (long)draw(me, 1000000)};
    if (draw(me, 16) == 0) {
        nanosleep(&t, NULL);
    }
    for (uint64_t i = draw(me, 1000); i > 0; i--) {
        atomic_signal_fence(memory_order_seq_cst);
    }
}

/* ---- in and out ------------------------------------------------------------------------------------------------------- */

static belief *new_belief(guest *me)
{
    belief *b = &me->belief[me->held];
    *b = (belief){.m = me->m, .name = (int)draw(me, (uint64_t)me->how->names), .at = -1};
    b->incarnation = me->incarnation;
    b->permits = me->how->permits;
    return b;
}

static void take(guest *me)
{
    char name[32];
    belief *b = new_belief(me);
    fl_request r = {.name = name, .kind = draw_kind(me), .permits = me->how->permits, .ttl = draw_ttl(me)};
    r.length = guest_name(b->name, name);
    r.timeout = draw(me, 3) ? (double)draw(me, (uint64_t)me->how->patience) / 1e6 : 0;
    switch (fl_take(me->store, &b->lease, &r, &me->error)) {
        case FL_OK:
            me->held++;
            marks_enter(b, false);
            atomic_fetch_add(&me->m->taken[r.kind], 1);
            break;
        case FL_BUSY:
        case FL_SELF:
            atomic_fetch_add(&me->m->busy, 1);
            break;
        default:
            note_error(me);
    }
}

/* Lost before its end, and not handed over: wrong. Kept after its end: wrong, too. */
static void judge(belief *b, fl_result result, int64_t before, int64_t deadline)
{
    if (result == FL_LOST) {
        atomic_fetch_add(&b->m->lost, 1);
        if (marks_now() < deadline && !b->keyed) {
            atomic_fetch_add(&b->m->wrongly_lost, 1);
        }
        marks_drop(b);
    } else if (result == FL_OK && before >= deadline) {
        atomic_fetch_add(&b->m->wrongly_kept, 1);
    }
}

static void forget(guest *me, int i)
{
    me->belief[i] = me->belief[--me->held];
}

static void give_back(guest *me, int i)
{
    belief *b = &me->belief[i];
    marks_leave(b);
    int64_t before = marks_now(), deadline = b->lease.deadline;
    judge(b, fl_release(&b->lease, &me->error), before, deadline);
    forget(me, i);
}

static void refresh(guest *me, int i)
{
    belief *b = &me->belief[i];
    double ttl = draw_ttl(me);
    marks_shorten(b, ttl);
    int64_t before = marks_now(), deadline = b->lease.deadline;
    fl_result result = fl_refresh(&b->lease, &ttl, &me->error);
    judge(b, result, before, deadline);
    if (result == FL_OK && b->at >= 0) {
        marks_shorten(b, INFINITY); /* to the new deadline */
        atomic_fetch_add(&me->m->refreshed, 1);
    }
}

/* ---- from one kind to the other ---------------------------------------------------------------------------------------- */

static void upgrade(guest *me, belief *b)
{
    int64_t before = marks_now(), deadline = b->lease.deadline;
    double timeout = draw(me, 2) ? (double)draw(me, (uint64_t)me->how->patience) / 1e6 : 0;
    fl_result result = fl_upgrade(&b->lease, timeout, NULL, &me->error);
    judge(b, result, before, deadline);
    if (result == FL_OK) {
        marks_change(b, WRITER);
        atomic_fetch_add(&me->m->upgraded, 1);
    } else if (result == FL_ERROR) {
        note_error(me);
    }
}

static void downgrade(guest *me, belief *b)
{
    marks_change(b, READER);
    int64_t before = marks_now(), deadline = b->lease.deadline;
    fl_result result = fl_downgrade(&b->lease, &me->error);
    judge(b, result, before, deadline);
    if (result == FL_OK) {
        atomic_fetch_add(&me->m->downgraded, 1);
    } else if (result == FL_ERROR) {
        note_error(me);
    }
}

static void change(guest *me, int i)
{
    belief *b = &me->belief[i];
    if (b->lease.state != FL_LEASE_HELD || !(me->how->kinds & 1u << FL_SHARED)) {
        return;
    }
    if (b->lease.kind == FL_SHARED) {
        upgrade(me, b);
    } else if (b->lease.kind == FL_EXCLUSIVE) {
        downgrade(me, b);
    }
}

/* ---- handing over ------------------------------------------------------------------------------------------------------ */

static void give_key(guest *me, int i)
{
    char key[FL_KEY_SIZE];
    belief *b = &me->belief[i];
    if (!b->keyed) {
        marks_change(b, KEYED);
        b->keyed = true;
    }
    if (fl_get_key(&b->lease, key, &me->error) == FL_OK) {
        posts_put(b, key);
    }
}

static void leave(guest *me, int i)
{
    belief *b = &me->belief[i];
    give_key(me, i);
    marks_change(b, LEAVING);
    int64_t before = marks_now(), deadline = b->lease.deadline;
    fl_result result = fl_leave(&b->lease, &me->error);
    judge(b, result, before, deadline);
    if (result == FL_OK && b->at >= 0) {
        uint64_t mine = b->mark, left = (mine & ~(UINT64_C(7) << 61)) | (uint64_t)LEFT << 61;
        atomic_compare_exchange_strong(&me->m->name[b->name].mark[b->at], &mine, left);
        atomic_fetch_add(&me->m->left, 1);
    } else {
        marks_leave(b);
    }
    forget(me, i);
}

static void restore(guest *me)
{
    post p;
    belief *b = new_belief(me);
    if (!posts_get(b, draw(me, POSTS), &p)) {
        return;
    }
    marks_intend(b);
    belief intent = *b;
    switch (fl_restore(me->store, &b->lease, p.key, strlen(p.key), &me->error)) {
        case FL_OK:
            me->held++;
            marks_enter(b, true);
            atomic_fetch_add(&me->m->restored, 1);
            atomic_fetch_add(&me->m->tokens, b->lease.token != p.token);
            break;
        case FL_FREE:
            break;
        default:
            note_error(me);
    }
    marks_wipe(&intent);
}

static void hand_over(guest *me, int i)
{
    switch (draw(me, 3)) {
        case 0:
            give_key(me, i);
            break;
        case 1:
            leave(me, i);
            break;
        default:
            give_back(me, i);
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------- */

static void step(guest *me)
{
    int i = me->held ? (int)draw(me, (uint64_t)me->held) : 0;
    uint64_t what = draw(me, 16);
    if (me->held < HANDS && (me->held == 0 || what < 5)) {
        me->how->hands_over &&draw(me, 2) ? restore(me) : take(me);
    } else if (me->held == 0) {
        return;
    } else if (what < 9) {
        me->how->hands_over ? hand_over(me, i) : give_back(me, i);
    } else if (what < 13) {
        change(me, i);
    } else if (!me->how->hands_over) {
        refresh(me, i);
    }
}

_Noreturn void guest_run(marks *m, const mode *how, const char *dsn, uint64_t seed, uint32_t incarnation)
{
    static guest me;
    me = (guest){.m = m, .how = how, .incarnation = incarnation};
    me.random = (seed + incarnation) * 0x9e3779b97f4a7c15 | 1;
    if (fl_open(dsn, &me.store, &me.error) != FL_OK) {
        note_error(&me);
        _exit(1);
    }
    for (;;) {
        step(&me);
        linger(&me);
        for (int i = 0; i < me.held; i++) {
            marks_look(&me.belief[i]);
        }
    }
}

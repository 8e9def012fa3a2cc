#include "worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TURN_NS INT64_C(4000000)

enum {
    HANDS = 4,   /* leases held at a time at most */
    HURRY = 3000 /* steps in a row without a pause and about one name: where instructions of two processes meet */
};

typedef struct {
    witness *w;
    const plan *plan;
    fl_store *store;
    fl_error error;
    uint64_t random;
    uint32_t incarnation;
    int held;
    int hurry; /* steps left */
    belief belief[HANDS];
} worker;

static uint64_t draw(worker *me, uint64_t below)
{
    me->random ^= me->random << 13;
    me->random ^= me->random >> 7;
    me->random ^= me->random << 17;
    return (me->random >> 11) % below;
}

static void note_error(worker *me)
{
    memcpy(me->w->wrong.error, me->error.message, sizeof me->w->wrong.error);
    atomic_fetch_add(&me->w->wrong.errors, 1);
}

/* Some names are longer than what fits beside the lock word. */
size_t plan_name(int name, char *buffer)
{
    return (size_t)sprintf(buffer, "%s%d",
                           name % 5 ? "name " : "a name that is so long that it needs more room than others ", name);
}

static bool it_can(const worker *me, unsigned capability)
{
    return me->plan->can & capability;
}

/* Half without an end (or with a long one, where the dead lose it), half so short that being stopped outlasts it. */
static double draw_ttl(worker *me)
{
    if (draw(me, 2) && it_can(me, FL_CAN_RECOVER)) {
        return it_can(me, FL_CAN_FOREVER) ? INFINITY : 1000;
    }
    return (double)(1 + draw(me, 40)) / 1000;
}

static void linger(worker *me)
{
    struct timespec t = {0, (long)draw(me, 2000000)};
    if (me->hurry > 0 && me->hurry-- > 0) {
        return;
    }
    me->hurry = draw(me, 64) ? 0 : HURRY;
    if (draw(me, 16) == 0) {
        nanosleep(&t, NULL);
        return;
    }
    for (uint64_t i = draw(me, 2000); i > 0; i--) {
        atomic_signal_fence(memory_order_seq_cst);
    }
}

/* ---- what it does ------------------------------------------------------------------------------------------------ */

static fl_result request(worker *me, belief *b)
{
    char name[FL_NAME_MAX + 1];
    size_t length = plan_name(b->name, name);
    double ttl = draw_ttl(me);
    if (draw(me, 8)) {
        return fl_try(me->store, &b->lease, name, length, ttl, &me->error);
    }
    return fl_acquire(me->store, &b->lease, name, length, ttl, (double)draw(me, 4000) / 1e6, NULL, &me->error);
}

/* The first names are wanted by all, the others by few. */
static int draw_name(worker *me)
{
    int all = me->plan->names, few = all < 8 ? all : 8;
    if (me->hurry > 0) {
        return (int)(witness_now() / TURN_NS % all); /* the same for all, and soon a name that was forgotten */
    }
    return (int)(draw(me, 2) ? draw(me, (uint64_t)few) : draw(me, (uint64_t)all));
}

static void take(worker *me)
{
    belief *b = &me->belief[me->held];
    *b = (belief){.name = draw_name(me), .incarnation = me->incarnation};
    switch (request(me, b)) {
        case FL_OK:
            me->held++;
            witness_enter(me->w, b);
            atomic_fetch_add(&me->w->figures.acquisitions, 1);
            break;
        case FL_BUSY:
        case FL_SELF:
            atomic_fetch_add(&me->w->figures.busy, 1);
            break;
        default:
            note_error(me);
    }
}

/* Unexpired after the call, and lost: wrong. Expired before the call, and kept: wrong, too. */
static void judge(worker *me, belief *b, fl_result result, int64_t before, int64_t deadline)
{
    if (result == FL_LOST) {
        b->mark = 0; /* what is left of it has expired, or was broken */
        atomic_fetch_add(&me->w->figures.lost, 1);
        if (witness_now_precise() < deadline && !witness_excuses(me->w, b)) {
            atomic_fetch_add(&me->w->wrong.wrongly_lost, 1);
        }
    } else if (result == FL_ERROR) {
        note_error(me);
    } else if (before >= deadline) {
        atomic_fetch_add(&me->w->wrong.wrongly_kept, 1);
    }
}

/* What was found lost was judged then; its deadline says no more what was promised. */
static void give_back(worker *me, int i)
{
    belief *b = &me->belief[i];
    if (b->lease.state == FL_LEASE_HELD) {
        witness_leave(me->w, b);
        int64_t before = witness_now(), deadline = b->lease.deadline;
        judge(me, b, fl_release(&b->lease, &me->error), before, deadline);
    } else {
        fl_release(&b->lease, &me->error);
    }
    me->belief[i] = me->belief[--me->held];
}

/* Who makes it shorter, and is stopped then, has lost it by what he asked for. */
static int64_t sooner(int64_t before, int64_t deadline, double ttl)
{
    int64_t asked = ttl < 1e6 ? before + (int64_t)(ttl * 1e9) : INT64_MAX;
    return asked < deadline ? asked : deadline;
}

static void refresh(worker *me, int i)
{
    belief *b = &me->belief[i];
    double ttl = draw_ttl(me), own = b->lease.ttl == INT64_MAX ? INFINITY : (double)b->lease.ttl / 1e9;
    bool other = draw(me, 2);
    witness_will_renew(me->w, b, other ? ttl : own);
    int64_t before = witness_now(), deadline = sooner(before, b->lease.deadline, other ? ttl : own);
    fl_result result = fl_refresh(&b->lease, other ? &ttl : NULL, &me->error);
    judge(me, b, result, before, deadline);
    if (result == FL_OK) {
        witness_renew(me->w, b);
        atomic_fetch_add(&me->w->figures.refreshed, 1);
    }
}

static void verify(worker *me, int i)
{
    belief *b = &me->belief[i];
    int64_t before = witness_now();
    judge(me, b, fl_verify(&b->lease), before, b->lease.deadline);
}

/* While I hold it and believe it, nobody but me is seen to hold it. */
static void look(worker *me, int i)
{
    belief *b = &me->belief[i];
    char name[FL_NAME_MAX + 1];
    fl_status_t s;
    fl_result result = fl_status(me->store, name, plan_name(b->name, name), &s, &me->error);
    if (result == FL_ERROR) {
        note_error(me);
        return;
    }
    bool right = result == FL_OK && s.mine && (s.pid == getpid() || s.pid == -1) &&
                 ((uint64_t)s.token == b->lease.token || !it_can(me, FL_CAN_TOKEN));
    if (b->lease.state == FL_LEASE_HELD && !right && witness_now_precise() < b->lease.deadline &&
        !witness_excuses(me->w, b)) {
        atomic_fetch_add(&me->w->wrong.status_wrong, 1);
    }
}

/*
 * What a status says belongs together, whoever dies meanwhile and whoever comes into the place of the dead: each worker's label
 * names its own pid.
 */
static void compare_label(worker *me, const fl_status_t *s)
{
    if (s->holders == 1 && s->pid > 0 && s->label[0] != 0 && strtoll(s->label, NULL, 10) != s->pid) {
        atomic_fetch_add(&me->w->wrong.status_wrong, 1);
    }
}

static void label(worker *me)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%d, a worker", (int)getpid());
    fl_set_label(me->store, text, (size_t)length);
}

/* Looks at somebody's lease, whoever that is, and sometimes breaks it. */
static void look_at_others(worker *me)
{
    char name[FL_NAME_MAX + 1];
    int number = draw_name(me);
    size_t length = plan_name(number, name);
    fl_status_t s;
    if (fl_status(me->store, name, length, &s, &me->error) != FL_OK || s.token <= 0) {
        return;
    }
    compare_label(me, &s);
    if (draw(me, 4) || !it_can(me, FL_CAN_TOKEN)) {
        return; /* without tokens nobody could tell whose lease was broken */
    }
    witness_will_break(me->w, number, (uint64_t)s.token);
    fl_result result = fl_break(me->store, name, length, s.token, &me->error);
    if (result == FL_ERROR) {
        note_error(me);
    } else if (result == FL_OK) {
        atomic_fetch_add(&me->w->figures.broken, 1);
    }
}

static void step(worker *me)
{
    int i = me->held ? (int)draw(me, (uint64_t)me->held) : 0;
    uint64_t what = draw(me, 16);
    if (me->held < HANDS && (me->held == 0 || what < 6)) {
        take(me);
    } else if (what < 12) {
        give_back(me, i);
    } else if (what == 12) {
        refresh(me, i);
    } else if (what == 13) {
        verify(me, i);
    } else if (draw(me, 8)) {
        look(me, i);
    } else {
        look_at_others(me);
    }
}

_Noreturn void worker_run(witness *w, const plan *p, uint32_t incarnation)
{
    static worker me;
    me = (worker){
        .w = w, .plan = p, .incarnation = incarnation, .random = (p->seed + incarnation) * 0x9e3779b97f4a7c15 | 1};
    if (fl_open(p->dsn, &me.store, &me.error) != FL_OK) {
        note_error(&me);
        _exit(1);
    }
    label(&me);
    for (;;) {
        step(&me);
        linger(&me);
        for (int i = 0; i < me.held; i++) {
            witness_look(w, &me.belief[i]);
        }
    }
}

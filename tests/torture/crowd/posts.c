#include <string.h>

#include "marks.h"

void posts_put(belief *b, const char *key)
{
    post *p = &b->m->name[b->name].post[atomic_fetch_add(&b->m->name[b->name].posted, 1) % POSTS];
    atomic_store(&p->number, atomic_load(&p->number) | 1);
    memcpy(p->key, key, FL_KEY_SIZE);
    p->token = b->lease.token;
    atomic_store(&p->number, atomic_load(&p->number) + 1);
}

bool posts_get(const belief *b, uint64_t which, post *copy)
{
    post *p = &b->m->name[b->name].post[which];
    uint32_t number = atomic_load(&p->number);
    memcpy(copy->key, p->key, FL_KEY_SIZE);
    copy->token = p->token;
    return number != 0 && number % 2 == 0 && atomic_load(&p->number) == number;
}

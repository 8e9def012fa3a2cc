/* A lease that outlives its owner's orderly end, and the key with which another process takes it over. */
#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static peer giver, taker, other;
static char key[FL_KEY_SIZE];
static uint64_t token;

static void hold(const char *ttl)
{
    open_peer(&giver);
    open_peer(&taker);
    open_peer(&other);
    EXPECT(&giver, "ok", "try 0 %s x", ttl);
    token = peer_token(&giver);
    EXPECT(&giver, "ok", "key 0");
    snprintf(key, sizeof key, "%s", key_of(&giver));
}

static void left_and_restored(void **state)
{
    (void)state;
    hold("1000");
    EXPECT(&giver, "ok", "leave 0");
    peer_finish(&giver);
    EXPECT(&other, "ok", "status x");
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&taker, "ok", "restore 0 %s", key);
    assert_true(peer_token(&taker) == token);
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&other, "free", "restore 0 %s", key); /* spent */
    EXPECT(&taker, "ok", "verify 0");
    EXPECT(&taker, "ok", "refresh 0 100");
    EXPECT(&taker, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
    assert_true(peer_token(&other) > token);
}

static void taken_from_who_lives(void **state)
{
    (void)state;
    hold("1000");
    EXPECT(&taker, "ok", "restore 0 %s", key);
    EXPECT(&giver, "lost", "verify 0");
    EXPECT(&giver, "lost", "release 0");
    EXPECT(&taker, "ok", "verify 0");
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&taker, "ok", "release 0");
}

static void keys_of_nothing(void **state)
{
    (void)state;
    static const char *const forged[] = {"", "k", "0000000000000000000000000000000000000000000000000000000000000000"};
    hold("1000");
    for (size_t i = 0; i < COUNT(forged); i++) {
        EXPECT(&taker, "free", "restore 0 %s", forged[i]);
    }
    char wrong[FL_KEY_SIZE];
    for (size_t i = 0; i < strlen(key); i++) {
        strcpy(wrong, key);
        wrong[i] = key[i] == '1' ? '2' : '1';
        EXPECT(&taker, "free", "restore 0 %s", wrong);
    }
    EXPECT(&giver, "ok", "verify 0");
    EXPECT(&giver, "ok", "release 0");
    EXPECT(&taker, "free", "restore 0 %s", key); /* given back */
}

static void a_left_one_expires(void **state)
{
    (void)state;
    hold("0.3");
    EXPECT(&giver, "ok", "leave 0");
    peer_kill(&giver);
    EXPECT(&other, "busy", "try 0 100 x"); /* whoever left it is nobody who could die */
    EXPECT(&other, "ok", "acquire 0 100 inf x");
    EXPECT(&taker, "free", "restore 0 %s", key);
    EXPECT(&other, "ok", "verify 0");
}

static void who_is_killed_leaves_nothing(void **state)
{
    (void)state;
    hold("1000");
    peer_kill(&giver);
    EXPECT(&other, "ok", "try 0 100 x");
    EXPECT(&taker, "free", "restore 0 %s", key);
    EXPECT(&other, "ok", "verify 0");
}

/* Neither names of files nor what a status shows leads to it. */
static void the_key_is_a_secret(void **state)
{
    (void)state;
    hold("1000");
    char *files = snapshot();
    const char *secret = strlen(key) > 20 ? key + strlen(key) - 20 : key;
    assert_null(strstr(files, secret));
    EXPECT(&other, "ok", "status x");
    assert_null(strstr(other.answer, secret));
    free(files);
}

void contract_hand_over(void)
{
    static const contract_case cases[] = {
        WITH(left_and_restored, FL_CAN_HAND_OVER | FL_CAN_TOKEN),
        WITH(taken_from_who_lives, FL_CAN_HAND_OVER),
        WITH(keys_of_nothing, FL_CAN_HAND_OVER),
        WITH(a_left_one_expires, FL_CAN_HAND_OVER | FL_CAN_EXPIRE),
        WITH(who_is_killed_leaves_nothing, FL_CAN_HAND_OVER | FL_CAN_RECOVER),
        WITH(the_key_is_a_secret, FL_CAN_HAND_OVER),
    };
    RUN_CASES(cases);
}

/* From a name to its directory, and from a file's name to a state. */
#include "share.h"

#include <stdio.h>
#include <string.h>

#include "sha256.h"

/* Clients agree on names of directories only if all compute the same: vectors of FIPS 180-4, and one of several blocks. */
static void the_hash_is_sha256(void **state)
{
    static const struct {
        const char *text;
        uint64_t digest[2];
    } known[] = {
        {"", {0xe3b0c44298fc1c14, 0x9afbf4c8996fb924}},
        {"abc", {0xba7816bf8f01cfea, 0x414140de5dae2223}},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", {0x248d6a61d20638b8, 0xe5c026930c3e6039}},
    };
    (void)state;
    char as[SHA256_INPUT_MAX];
    uint64_t digest[2];
    for (size_t i = 0; i < COUNT(known); i++) {
        sha256_128(known[i].text, strlen(known[i].text), digest);
        assert_memory_equal(digest, known[i].digest, sizeof digest);
    }
    memset(as, 'a', sizeof as);
    sha256_128(as, 255, digest);
    assert_true(digest[0] == 0xb0f3323e7a3cad8a && digest[1] == 0xe6778340cc2a17ae);
    sha256_128(as, sizeof as, digest);
    assert_true(digest[0] == 0x405917f9905fa6a4 && digest[1] == 0x36429b115728eab0);
}

/* File systems that fold case, and those that do not, have the same directory for a name; "A" and "a" are two names. */
static void names_in_upper_and_lower_case(void **state)
{
    (void)state;
    lock_path upper, lower;
    path_of_name("/b", "Import", 6, &upper);
    path_of_name("/b", "import", 6, &lower);
    assert_int_equal(strncmp(strrchr(upper.text, '/'), "/import-", 8), 0);
    assert_int_equal(strncmp(strrchr(lower.text, '/'), "/import-", 8), 0);
    assert_string_not_equal(upper.text, lower.text);
    for (const char *c = upper.text; *c; c++) {
        assert_true(*c < 'A' || *c > 'Z');
    }
}

/* Only so much of a name shows, and no escape is cut; the hash tells names apart that begin alike. */
static void long_names(void **state)
{
    (void)state;
    char name[FL_NAME_MAX];
    lock_path one, other;
    memset(name, '/', sizeof name);
    path_of_name("/b", name, sizeof name, &one);
    path_of_name("/b", name, sizeof name - 1, &other);
    assert_int_equal(strlen(strrchr(one.text, '/') + 1), HEAD_MAX + 33);
    assert_string_not_equal(one.text, other.text);
    name[0] = 'x';
    path_of_name("/b", name, sizeof name, &one);
    assert_int_equal(strlen(strrchr(one.text, '/') + 1), HEAD_MAX - 2 + 33);
}

#define NONCE "0123456789abcdef0123456789abcdef"
#define REST "1a.2b.3c.4d.5e.67.8f.1000.host."

static void what_is_a_state(void **state)
{
    static const char *const good[] = {"1.F." NONCE, "ab.H." NONCE "." REST "label", "ab.L." NONCE "." REST,
                                       "4000000000000000.F." NONCE};
    (void)state;
    lock_state s, again;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(state_parse(good[i], &s));
        again = s;
        state_format(&again);
        assert_string_equal(again.text, good[i]);
    }
    assert_true(state_parse(good[1], &s));
    assert_true(s.generation == 0xab && s.token == 0x1a && s.deadline == 0x2b && s.ttl == 0x3c && s.since == 0x4d);
    assert_true(s.machine == 0x5e && s.pid == 67 && s.start == 0x8f && s.uid == 1000);
    assert_string_equal(s.host, "host");
    assert_string_equal(s.label, "label");
}

static void what_is_none(void **state)
{
    static const char *const bad[] = {
        "",
        "1",
        "1.",
        ".F." NONCE,
        "x.F." NONCE,
        "123456789012345678901.F." NONCE,
        "10000000000000000.F." NONCE, /* more than 64 bits hold, which must not become the highest of all */
        "ffffffffffffffff.F." NONCE,  /* nothing follows it */
        "4000000000000001.F." NONCE,
        "1.H." NONCE ".8000000000000000.2b.3c.4d.5e.67.8f.1000.host.label", /* a token that is negative */
        "1.H." NONCE ".1a.7fffffffffffffff.3c.4d.5e.67.8f.1000.host.label", /* no sum with these times fits */
        "1.H." NONCE ".1a.2b.7fffffffffffffff.4d.5e.67.8f.1000.host.label",
        "1.H." NONCE ".1a.2b.3c.7fffffffffffffff.5e.67.8f.1000.host.label",
        "1.X." NONCE,
        "1.FF." NONCE,
        "1.F.0123456789abcdef",
        "1.F." NONCE "0",
        "1.F." NONCE ".1",
        "1.H." NONCE,
        "1.H." NONCE ".",
        "1.H." NONCE ".1a.2b.3c",
        "1.H." NONCE ".1a.8000000000000000.3c.4d.5e.67.8f.1000.host.label", /* a deadline that is negative */
        "1.H." NONCE ".1a.2b.3c.4d.5e.6f.8f.1000.host.label",               /* a pid with letters */
        "1.H." NONCE ".1a.2b.3c.4d.5e.67.8f.1000.host",
        "1.H." NONCE ".1a.2b.3c.4d.5e.67.8f.1000.host.label.more",
        "1.F." NONCE "~",
        "backup",
    };
    (void)state;
    lock_state s;
    char longer[STATE_MAX + 2];
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (state_parse(bad[i], &s)) {
            fail_msg("\"%s\" is taken for a state", bad[i]);
        }
    }
    int head = snprintf(longer, sizeof longer, "1.H." NONCE "." REST);
    memset(longer + head, 'x', sizeof longer - (size_t)head);
    longer[STATE_MAX] = '\0';
    assert_true(state_parse(longer, &s));
    longer[STATE_MAX] = 'x';
    longer[STATE_MAX + 1] = '\0';
    assert_false(state_parse(longer, &s));
}

void group_directory_names(void)
{
    static const struct CMUnitTest directory_names[] = {
        SHARE_TEST(the_hash_is_sha256), SHARE_TEST(names_in_upper_and_lower_case),
        SHARE_TEST(long_names),         SHARE_TEST(what_is_a_state),
        SHARE_TEST(what_is_none),
    };
    RUN(directory_names);
}

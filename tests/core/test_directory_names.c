/* From a name to its directory. */
#include "share.h"

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

void group_directory_names(void)
{
    static const struct CMUnitTest directory_names[] = {
        SHARE_TEST(the_hash_is_sha256),
    };
    RUN(directory_names);
}

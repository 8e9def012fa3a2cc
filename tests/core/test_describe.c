/* The sentence of a status. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static fl_status_t example(void)
{
    fl_status_t s = {.name = "import",
                     .name_length = 6,
                     .holders = 1,
                     .token = 7,
                     .pid = 4711,
                     .uid = 33,
                     .host = "web1",
                     .label = "cli app:import",
                     .since = NAN,
                     .remaining = NAN};
    return s;
}

/* `since` is on the wall clock; the sentence speaks of a time ago. */
static double ago(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9 - seconds;
}

static const char *sentence(const fl_status_t *status)
{
    static char buffer[FL_SENTENCE_MAX];
    size_t length = fl_describe(status, buffer);
    assert_int_equal(length, strlen(buffer));
    return buffer;
}

static void assert_says(const fl_status_t *status, const char *words)
{
    if (!strstr(sentence(status), words)) {
        fail_msg("\"%s\" does not say \"%s\"", sentence(status), words);
    }
}

static void assert_silent(const fl_status_t *status, const char *words)
{
    if (strstr(sentence(status), words)) {
        fail_msg("\"%s\" says \"%s\"", sentence(status), words);
    }
}

static void says_everything_known(void **state)
{
    (void)state;
    fl_status_t s = example();
    s.waiters = 3;
    s.since = ago(12 * 60 + 20);
    s.remaining = 18 * 60 + 30;
    assert_says(&s, "import: held by cli app:import (pid 4711, uid 33 on web1) for 12 min");
    assert_says(&s, "18 min left");
    assert_says(&s, "3 waiting");
}

static void leaves_out_what_is_not_known(void **state)
{
    (void)state;
    fl_status_t s = example();
    s.pid = s.uid = -1;
    s.host[0] = s.label[0] = 0;
    assert_says(&s, "import: held");
    assert_silent(&s, "-1");
    assert_silent(&s, "nan");
    assert_silent(&s, "left");
    assert_silent(&s, "waiting");
    assert_silent(&s, "()");
}

static void no_expiry_has_no_rest(void **state)
{
    (void)state;
    fl_status_t s = example();
    s.remaining = INFINITY;
    assert_silent(&s, "inf");
    assert_silent(&s, "left");
}

static void speaks_in_fitting_units(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *unit;
    } cases[] = {{0.2, "ms"}, {30.2, "30 s"}, {3 * 3600 + 60, "3 h"}, {5 * 86400 + 60, "5 d"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        fl_status_t s = example();
        s.since = ago(cases[i].seconds);
        assert_says(&s, cases[i].unit);
    }
}

/* Terminals and logs are not to be steered by a name or a label. */
static void escapes_what_is_not_printable(void **state)
{
    (void)state;
    fl_status_t s = example();
    memcpy(s.name, "a\0\x1b[2J\n", 7);
    s.name_length = 7;
    strcpy(s.label, "x\r\x7f");
    assert_says(&s, "a\\x00\\x1B[2J\\x0A: ");
    assert_says(&s, "x\\x0D\\x7F");
    for (const char *c = sentence(&s); *c; c++) {
        assert_true(*c >= ' ' && *c <= '~');
    }
}

static void fits_the_longest(void **state)
{
    (void)state;
    fl_status_t s = example();
    memset(s.name, 1, FL_NAME_MAX);
    s.name_length = FL_NAME_MAX;
    memset(s.label, 2, FL_LABEL_MAX);
    memset(s.host, 'h', FL_HOST_MAX);
    s.pid = s.uid = s.token = INT64_MAX;
    s.holders = s.waiters = UINT32_MAX;
    s.since = -1e300;
    s.remaining = 1e300;
    assert_true(strlen(sentence(&s)) < FL_SENTENCE_MAX);
}

void group_describe(void)
{
    static const struct CMUnitTest describe[] = {
        TEST(says_everything_known),   TEST(leaves_out_what_is_not_known),  TEST(no_expiry_has_no_rest),
        TEST(speaks_in_fitting_units), TEST(escapes_what_is_not_printable), TEST(fits_the_longest),
    };
    RUN(describe);
}

/* The matrix of stores and what they offer, by what they declare; the manual has it between two marks. */
#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TTL = 60 };

static const struct {
    unsigned capability;
    const char *words;
} rows[] = {
    {FL_CAN_FOREVER, "`INF`: held as long as its process lives"},
    {FL_CAN_RECOVER, "free at once when its holder is killed (on this machine)"},
    {FL_CAN_EXPIRE, "free for others when its time to live is over"},
    {FL_CAN_TOKEN, "fencing tokens, which grow"},
    {FL_CAN_HAND_OVER, "handing over: `getKey()`, `restore()`"},
    {FL_CAN_BREAK, "taking it from its holder: `break()`"},
    {FL_CAN_LIST, "listing names of any length in full"},
    {FL_CAN_ORDER, "first come, first served"},
    {FL_CAN_SHARE, "many readers or one writer"},
    {FL_CAN_COUNT, "semaphores"},
};

static fl_store *open_nowhere(const contract_store *store)
{
    char text[128];
    snprintf(text, sizeof text, store->dsn, "/nowhere");
    return open_store(text);
}

static void put_row(FILE *out, unsigned capability, const char *words)
{
    fprintf(out, "| %s |", words);
    for (size_t i = 0; i < contract_store_count; i++) {
        fl_store *store = open_nowhere(&contract_stores[i]);
        fprintf(out, " %s |", fl_capabilities(store) & capability ? "yes" : "no");
        fl_close(store);
    }
    fputc('\n', out);
}

static void put_grace(FILE *out)
{
    fprintf(out, "| how long after a time to live of %d s, at the latest |", TTL);
    for (size_t i = 0; i < contract_store_count; i++) {
        fl_store *store = open_nowhere(&contract_stores[i]);
        if (fl_capabilities(store) & FL_CAN_EXPIRE) {
            fprintf(out, " %.2g s |", fl_grace(store, TTL));
        } else {
            fprintf(out, " – |");
        }
        fl_close(store);
    }
    fputc('\n', out);
}

static void put_matrix(FILE *out)
{
    fputs("| |", out);
    for (size_t i = 0; i < contract_store_count; i++) {
        fprintf(out, " `%s` |", contract_stores[i].title);
    }
    fputs("\n|---|", out);
    for (size_t i = 0; i < contract_store_count; i++) {
        fputs("---|", out);
    }
    fputc('\n', out);
    for (size_t i = 0; i < COUNT(rows); i++) {
        put_row(out, rows[i].capability, rows[i].words);
        if (rows[i].capability == FL_CAN_EXPIRE) {
            put_grace(out);
        }
    }
}

void matrix_print(void)
{
    put_matrix(stdout);
}

void the_manual_has_the_matrix(void **state)
{
    static const char before[] = "<!-- stores -->\n\n", after[] = "\n<!-- /stores -->";
    char *matrix = NULL;
    size_t size;
    (void)state;
    FILE *out = open_memstream(&matrix, &size);
    put_matrix(out);
    fclose(out);
    char *manual = read_file(FL_README, &size);
    manual[size] = 0;
    char *begin = strstr(manual, before), *end = strstr(manual, after);
    assert_true(begin && end && end > begin);
    *end = 0;
    assert_string_equal(begin + sizeof before - 1, matrix);
    free(manual);
    free(matrix);
}

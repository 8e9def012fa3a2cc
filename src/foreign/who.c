/*
 * A line of ours about the holder, in the file or beside it: who, where, since when. It is what tells one of our processes from
 * another with the same number in another container.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "foreign.h"

size_t who_describe(const foreign *f, const holding *h, char line[LINE_MAX_OURS])
{
    int n = snprintf(line, LINE_MAX_OURS, "filelock %016" PRIx64 " %" PRId64 " %" PRIu64 " %" PRId64 " %s %s\n",
                     f->machine, f->pid, f->start, h->since, f->host[0] != '\0' ? f->host : "-", f->label);
    return (size_t)n;
}

void who_parse(const char *line, owner *o)
{
    char host[FL_HOST_MAX + 1];
    int at = 0;
    if (sscanf(line, "filelock %16" SCNx64 " %" SCNd64 " %" SCNu64 " %" SCNd64 " %63s%n", &o->machine, &o->pid,
               &o->start, &o->since, host, &at) < 5)
        return;
    o->ours = true;
    line += at + (line[at] == ' ');
    snprintf(o->host, sizeof o->host, "%s", strcmp(host, "-") == 0 ? "" : host);
    snprintf(o->label, sizeof o->label, "%.*s", (int)strcspn(line, "\n"), line);
}

int who_read_note(const place *p, owner *o)
{
    char line[LINE_MAX_OURS];
    if (file_read(p, o, NULL, 0, line, sizeof line) != 0)
        return -1;
    who_parse(line, o);
    return 0;
}

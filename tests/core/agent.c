#include "agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static agent self;

void agent_say(const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) {
        length = (int)sizeof line - 2;
    }
    line[length++] = '\n';
    if (write(AGENT_OUT, line, (size_t)length) != length) {
        _exit(1);
    }
}

const char *agent_word(fl_result result)
{
    static const char *const words[] = {"ok", "busy", "free", "lost", "self", "interrupted", "error"};
    return words[result];
}

void agent_say_result(agent *a, fl_result result)
{
    if (result == FL_ERROR) {
        agent_say("error fault=%d code=%d %s", a->error.fault, a->error.code, a->error.message);
    } else {
        agent_say("%s", agent_word(result));
    }
}

char *agent_next(char **arguments)
{
    char *word = strsep(arguments, " ");
    return word ? word : "";
}

double agent_number(char **arguments)
{
    return strtod(agent_next(arguments), NULL);
}

static const agent_command *find(const agent_command *commands, const char *word)
{
    for (; commands->word; commands++) {
        if (strcmp(commands->word, word) == 0) {
            return commands;
        }
    }
    return NULL;
}

static void obey(char *line)
{
    char *arguments = line;
    const char *word = agent_next(&arguments);
    const agent_command *command = find(agent_lock_commands, word);
    if (!command) {
        command = find(agent_crowd_commands, word);
    }
    if (!command) {
        command = find(agent_world_commands, word);
    }
    if (command) {
        command->run(&self, arguments ? arguments : line + strlen(line));
    } else {
        agent_say("unknown command %s", word);
    }
}

/* Byte by byte: nothing is buffered that a forked child could read again. */
static int read_line(char *line, size_t size)
{
    size_t length = 0;
    while (length < size - 1 && read(AGENT_IN, line + length, 1) == 1) {
        if (line[length] == '\n') {
            line[length] = 0;
            return 1;
        }
        length++;
    }
    return 0;
}

int main(void)
{
    char line[1024];
    while (read_line(line, sizeof line)) {
        obey(line);
    }
    return 0;
}

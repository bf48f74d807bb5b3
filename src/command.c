/* command.c: the table of commands as data, and reading a command line. */
#include "command.h"
#include <stdio.h>
#include <string.h>

const struct command command_table[COMMAND_COUNT] = {
#define COMMAND_ROW(id, name, arguments, group, scope, help) {name, arguments, group, scope, help},
    COMMAND_TABLE(COMMAND_ROW)
#undef COMMAND_ROW
};

static const char blanks[] = " \t\r\n";

static enum command_id find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(command_table[i].name, name) == 0)
            return (enum command_id)i;
    return COMMAND_COUNT;
}

enum command_id command_complete(const char *prefix, int index)
{
    size_t length = strlen(prefix);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strncmp(command_table[i].name, prefix, length) == 0 && index-- == 0)
            return (enum command_id)i;
    return COMMAND_COUNT;
}

enum command_id command_parse(char *line, char **argument, char *error)
{
    size_t end = strlen(line);
    while (end > 0 && strchr(blanks, line[end - 1]))
        line[--end] = '\0';
    char *name = line + strspn(line, blanks);
    char *rest = name + strcspn(name, blanks);
    *argument = rest + strspn(rest, blanks);
    *rest = '\0';
    enum command_id id = find(name);
    if (id != COMMAND_COUNT)
        return id;
    enum command_id near = *name ? command_complete(name, 0) : COMMAND_COUNT;
    if (near != COMMAND_COUNT)
        snprintf(error, 160, "no command '%.40s'; is it '%s'?", name, command_table[near].name);
    else
        snprintf(error, 160, *name ? "no command '%.40s'" : "no command there", name);
    return COMMAND_COUNT;
}

bool command_check(enum command_id id, const char *argument, char *error)
{
    const struct command *c = &command_table[id];
    if (!*c->arguments && *argument)
        snprintf(error, 160, "%s takes no argument ('%.40s')", c->name, argument);
    else if (*c->arguments && c->arguments[0] != '[' && !*argument)
        snprintf(error, 160, "%s: %s is missing", c->name, c->arguments);
    else
        return true;
    return false;
}

/* cli_text.h: aligned, coloured text for people, in UTF-8 or ASCII. */
#ifndef ULPSCOPE_SRC_CLI_TEXT_H
#define ULPSCOPE_SRC_CLI_TEXT_H

#include "cli_call.h"

/* Roles, not colours; without colour they change nothing. */
enum cli_role {
    ROLE_PLAIN,
    ROLE_SIGN,
    ROLE_EXPONENT,
    ROLE_SIGNIFICAND,
    ROLE_WARNING,
    ROLE_QUIET,
    ROLE_STRONG
};

/* Writes a text in at least `width` columns, to the left of them. */
void cli_put(struct cli *c, enum cli_role role, const char *text, int width);

/* Plain text, formatted. */
void cli_printf(struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

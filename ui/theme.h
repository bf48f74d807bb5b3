/* theme.h: what a cell means, and how that looks.
 *
 * Panels name a role, never a colour.  One table gives each role its colour at every depth; only foregrounds
 * are set, the terminal's own background stays.  The colours are Okabe and Ito's set, which people with
 * colour-vision deficiencies can tell apart.  A terminal's background is unknown, so what is sent to
 * terminals is tuned to be read on black and on white.  Colour never stands alone: in mono each role has an
 * attribute instead, and panels add a glyph, a letter or a position. */
#ifndef ULPSCOPE_UI_THEME_H
#define ULPSCOPE_UI_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum role {
    ROLE_TEXT,        /* what is read: values, names */
    ROLE_DIM,         /* what is read last: units, captions, axis labels */
    ROLE_TITLE,       /* titles of rules and boxes */
    ROLE_RULE,        /* rules, borders, axes */
    ROLE_SIGN,        /* the sign bit */
    ROLE_EXPONENT,    /* the biased exponent */
    ROLE_SIGNIFICAND, /* the trailing significand */
    ROLE_FOCUS,       /* the focused row, its marker, the true value on a number line */
    ROLE_WARNING,     /* lost, flushed, overflowed, skipped */
    ROLE_GOOD,        /* moved, holds, done */
    ROLE_ERROR,       /* a message that something failed */
    ROLE_KEY,         /* a key's name in hints and help */
    ROLE_HINT,        /* what a key does */
    ROLE_STALE,       /* an answer that is being worked out anew */
    ROLE_SELECTION,   /* the selected item: reversed */
    ROLE_LANE_0,      /* the lanes of a session, the series of a plot */
    ROLE_LANE_1,
    ROLE_LANE_2,
    ROLE_LANE_3,
    ROLE_COUNT
};

/* Attributes of a cell, added to what the theme gives its role. */
enum attribute { ATTR_BOLD = 1, ATTR_UNDERLINE = 2, ATTR_REVERSE = 4, ATTR_DIM = 8 };

/* How many colours there are. */
enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE, DEPTH_COUNT };

/* The option --color. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct style {
    int32_t color;      /* -1: the default; else a palette index or, at DEPTH_TRUE, 0xRRGGBB */
    uint8_t attributes; /* of enum attribute */
};

/* How a cell of this role with these attributes looks at this depth.  An unknown role looks like ROLE_TEXT.
 */
struct style theme_style(enum role role, unsigned attributes, enum depth depth);

/* The role's colour on a known background, 0xRRGGBB: for pictures. */
uint32_t theme_rgb(enum role role, bool light_background);
uint32_t theme_background(bool light_background);

/* The role's name ("sign", "lane 0"), for tests and messages. */
const char *theme_role_name(enum role role);

/* The role of lane or series i, which goes round after four. */
enum role theme_lane(unsigned i);

/* The depth to use for output with `colors` colours: COLOR_NEVER gives mono, COLOR_AUTO gives mono when
 * no_color (the value of NO_COLOR, or NULL) is there and not empty, COLOR_ALWAYS gives at least 8. */
enum depth theme_depth(enum color_when when, const char *no_color, long colors);

#endif

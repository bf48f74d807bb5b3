/* theme.c: the table of roles. */
#include "theme.h"
#include <stddef.h>

enum { NONE = -1 };

/* `safe` has a relative luminance of about 0.18, which gives a contrast of at least 4.5:1 on black and on
 * white (WCAG 2.1, 1.4.3); indexed colours come as near as their palette allows.  Of the basic eight, blue is
 * left out: it cannot be read on many black backgrounds. */
static const struct row {
    const char *name;
    uint32_t dark, light; /* on the pictures' own backgrounds */
    int32_t safe;         /* on a background that is not known */
    int16_t x256, x16, x8;
    uint8_t attributes; /* beside a colour */
    uint8_t mono;       /* instead of a colour */
} roles[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", 0xe6e6e6, 0x1a1a1a, NONE, NONE, NONE, NONE, 0, 0},
    [ROLE_DIM] = {"dim", 0x9a9fa6, 0x666b70, 0x767676, 243, 8, NONE, 0, ATTR_DIM},
    [ROLE_TITLE] = {"title", 0xffffff, 0x000000, NONE, NONE, NONE, NONE, ATTR_BOLD, ATTR_BOLD},
    [ROLE_RULE] = {"rule", 0x80868e, 0x6d737a, 0x767676, 243, 8, NONE, 0, ATTR_DIM},
    [ROLE_SIGN] = {"sign", 0xcc79a7, 0xb0437f, 0xbc4f8c, 132, 5, 5, 0, ATTR_BOLD | ATTR_UNDERLINE},
    [ROLE_EXPONENT] = {"exponent", 0x1fb58a, 0x008561, 0x008762, 29, 2, 2, 0, ATTR_UNDERLINE},
    [ROLE_SIGNIFICAND] = {"significand", 0x56b4e9, 0x0072b2, 0x187db7, 31, 6, 6, 0, ATTR_BOLD},
    [ROLE_FOCUS] = {"focus", 0xe69f00, 0x9c6c00, 0x9e6d00, 136, 3, 3, ATTR_BOLD, ATTR_BOLD},
    [ROLE_WARNING] = {"warning", 0xf0762b, 0xc05500, 0xc35600, 166, 1, 1, ATTR_BOLD,
                      ATTR_BOLD | ATTR_UNDERLINE},
    [ROLE_GOOD] = {"good", 0x1fb58a, 0x008561, 0x008762, 29, 2, 2, 0, ATTR_BOLD},
    [ROLE_ERROR] = {"error", 0xf0762b, 0xc05500, 0xc35600, 166, 1, 1, ATTR_BOLD, ATTR_BOLD | ATTR_REVERSE},
    [ROLE_KEY] = {"key", 0x56b4e9, 0x0072b2, 0x187db7, 31, 6, 6, ATTR_BOLD, ATTR_BOLD},
    [ROLE_HINT] = {"hint", 0x9a9fa6, 0x666b70, 0x767676, 243, 8, NONE, 0, ATTR_DIM},
    [ROLE_STALE] = {"stale", 0x80868e, 0x6d737a, 0x767676, 243, 8, NONE, ATTR_DIM, ATTR_DIM},
    [ROLE_SELECTION] = {"selection", 0xe6e6e6, 0x1a1a1a, NONE, NONE, NONE, NONE, ATTR_REVERSE, ATTR_REVERSE},
    [ROLE_LANE_0] = {"lane 0", 0x56b4e9, 0x0072b2, 0x187db7, 31, 6, 6, 0, ATTR_BOLD},
    [ROLE_LANE_1] = {"lane 1", 0xe69f00, 0x9c6c00, 0x9e6d00, 136, 3, 3, 0, ATTR_UNDERLINE},
    [ROLE_LANE_2] = {"lane 2", 0x1fb58a, 0x008561, 0x008762, 29, 2, 2, 0, ATTR_DIM},
    [ROLE_LANE_3] = {"lane 3", 0xcc79a7, 0xb0437f, 0xbc4f8c, 132, 5, 5, 0, ATTR_BOLD | ATTR_UNDERLINE},
};

static const struct row *theme_row(enum role role)
{
    return &roles[(unsigned)role < ROLE_COUNT ? role : ROLE_TEXT];
}

struct style theme_style(enum role role, unsigned attributes, enum depth depth)
{
    const struct row *row = theme_row(role);
    int32_t color = NONE;
    switch (depth) {
    case DEPTH_TRUE:
        color = row->safe;
        break;
    case DEPTH_256:
        color = row->x256;
        break;
    case DEPTH_16:
        color = row->x16;
        break;
    case DEPTH_8:
        color = row->x8;
        break;
    default:
        break;
    }
    /* A role without a colour at this depth keeps its cue. */
    unsigned own = color == NONE ? row->mono : row->attributes;
    return (struct style){color, (uint8_t)(own | attributes)};
}

uint32_t theme_rgb(enum role role, bool light_background)
{
    return light_background ? theme_row(role)->light : theme_row(role)->dark;
}

uint32_t theme_background(bool light_background)
{
    return light_background ? 0xffffff : 0x14181d;
}

const char *theme_role_name(enum role role)
{
    return theme_row(role)->name;
}

enum role theme_lane(unsigned i)
{
    return (enum role)(ROLE_LANE_0 + i % 4);
}

enum depth theme_depth(enum color_when when, const char *no_color, long colors)
{
    if (when == COLOR_NEVER || (when == COLOR_AUTO && no_color != NULL && no_color[0] != '\0'))
        return DEPTH_MONO;
    if (colors >= 1L << 24)
        return DEPTH_TRUE;
    if (colors >= 256)
        return DEPTH_256;
    if (colors >= 16)
        return DEPTH_16;
    return colors >= 8 || when == COLOR_ALWAYS ? DEPTH_8 : DEPTH_MONO;
}

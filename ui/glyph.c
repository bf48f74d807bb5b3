/* glyph.c: UTF-8, widths and ASCII stand-ins. */
#include "glyph.h"
#include <limits.h>
#include <stdbool.h>

struct range {
    uint32_t first, last;
};

/* Characters of two columns: East Asian Width W and F of Unicode's EastAsianWidth.txt, unassigned gaps
 * joined. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x3029},   {0x302e, 0x303e},   {0x3041, 0x3096},   {0x309b, 0xa4c6},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfad9},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x16fe3}, {0x16ff0, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec},
    {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff},
    {0x1fa70, 0x1faf6}, {0x20000, 0x3fffd},
};

/* Characters of no column: the combining marks of the common scripts and the invisible format characters.
 * term.c checks every glyph against the terminal's own idea of its width, so a mark missing here cannot shift
 * a line. */
static const struct range zero[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf},   {0x05c1, 0x05c2},
    {0x05c4, 0x05c5}, {0x0610, 0x061a}, {0x061c, 0x061c}, {0x064b, 0x065f},   {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e},
    {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x202a, 0x202e},
    {0x2060, 0x206f}, {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a},   {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe01ef},
};

/* ASCII for every glyph that ulpscope draws, in order of code points. */
static const struct {
    uint32_t first, last;
    char ascii;
} stand_ins[] = {
    {0x00a0, 0x00a0, ' '},  /* no-break space */
    {0x00b0, 0x00b0, 'o'},  /* ° */
    {0x00b1, 0x00b1, '~'},  /* ± */
    {0x00b2, 0x00b2, '2'},  /* ² */
    {0x00b3, 0x00b3, '3'},  /* ³ */
    {0x00b5, 0x00b5, 'u'},  /* µ */
    {0x00b7, 0x00b7, '.'},  /* · */
    {0x00b9, 0x00b9, '1'},  /* ¹ */
    {0x00d7, 0x00d7, 'x'},  /* × */
    {0x00f7, 0x00f7, '/'},  /* ÷ */
    {0x0394, 0x0394, 'D'},  /* Δ */
    {0x03a3, 0x03a3, 'S'},  /* Σ */
    {0x03b1, 0x03b1, 'a'},  /* α */
    {0x03b2, 0x03b2, 'b'},  /* β */
    {0x03b5, 0x03b5, 'e'},  /* ε */
    {0x03b7, 0x03b7, 'n'},  /* η */
    {0x03bb, 0x03bb, 'l'},  /* λ */
    {0x03bc, 0x03bc, 'u'},  /* μ */
    {0x03c0, 0x03c0, 'p'},  /* π */
    {0x1d40, 0x1d40, 'T'},  /* superscript T, the transpose */
    {0x2010, 0x2015, '-'},  /* hyphens and dashes */
    {0x2016, 0x2016, '='},  /* ‖ paused */
    {0x2018, 0x2019, '\''}, /* ‘ ’ */
    {0x201c, 0x201d, '"'},  /* “ ” */
    {0x2022, 0x2022, '*'},  /* • */
    {0x2026, 0x2026, '~'},  /* … */
    {0x2032, 0x2032, '\''}, /* ′ */
    {0x2070, 0x2070, '0'},  {0x2074, 0x2074, '4'},  {0x2075, 0x2075, '5'}, {0x2076, 0x2076, '6'},
    {0x2077, 0x2077, '7'},  {0x2078, 0x2078, '8'},  {0x2079, 0x2079, '9'}, {0x207a, 0x207a, '+'},
    {0x207b, 0x207b, '-'},  {0x2080, 0x2080, '0'},  {0x2081, 0x2081, '1'}, {0x2082, 0x2082, '2'},
    {0x2190, 0x2190, '<'},  /* ← */
    {0x2191, 0x2191, '^'},  /* ↑ */
    {0x2192, 0x2192, '>'},  /* → */
    {0x2193, 0x2193, 'v'},  /* ↓ */
    {0x2194, 0x2194, '-'},  /* ↔ */
    {0x21b5, 0x21b5, '<'},  /* ↵ */
    {0x21d0, 0x21d0, '<'},  /* ⇐ */
    {0x21d2, 0x21d2, '>'},  /* ⇒ */
    {0x2202, 0x2202, 'd'},  /* ∂ */
    {0x2207, 0x2207, 'V'},  /* ∇ */
    {0x2212, 0x2212, '-'},  /* − */
    {0x221a, 0x221a, 'v'},  /* √ */
    {0x221e, 0x221e, '8'},  /* ∞; panels write inf */
    {0x2248, 0x2248, '~'},  /* ≈ */
    {0x2260, 0x2260, '!'},  /* ≠ */
    {0x2264, 0x2264, '<'},  /* ≤ */
    {0x2265, 0x2265, '>'},  /* ≥ */
    {0x22c5, 0x22c5, '.'},  /* ⋅ */
    {0x2500, 0x2501, '-'},  /* ─ ━ */
    {0x2502, 0x2503, '|'},  /* │ ┃ */
    {0x2504, 0x2505, '-'},  /* ┄ ┅ */
    {0x2506, 0x2507, ':'},  /* ┆ ┇ */
    {0x2508, 0x2509, '-'},  /* ┈ ┉ */
    {0x250a, 0x250b, ':'},  /* ┊ ┋ */
    {0x250c, 0x254b, '+'},  /* corners, tees and crosses */
    {0x254c, 0x254d, '-'},  /* ╌ ╍ */
    {0x254e, 0x254f, ':'},  /* ╎ ╏ */
    {0x2550, 0x2550, '='},  /* ═ */
    {0x2551, 0x2551, '|'},  /* ║ */
    {0x2552, 0x256c, '+'},  /* double corners, tees and crosses */
    {0x256d, 0x256e, '.'},  /* ╭ ╮ */
    {0x256f, 0x2570, '\''}, /* ╯ ╰ */
    {0x2571, 0x2571, '/'},  {0x2572, 0x2572, '\\'}, {0x2573, 0x2573, 'X'}, {0x2574, 0x2574, '-'},
    {0x2575, 0x2575, '|'},  {0x2576, 0x2576, '-'},  {0x2577, 0x2577, '|'}, {0x2578, 0x2578, '-'},
    {0x2579, 0x2579, '|'},  {0x257a, 0x257a, '-'},  {0x257b, 0x257b, '|'}, {0x2580, 0x2580, '#'}, /* ▀ */
    {0x2581, 0x2583, '.'},                                                 /* ▁ ▂ ▃ */
    {0x2584, 0x2586, ':'},                                                 /* ▄ ▅ ▆ */
    {0x2587, 0x258b, '#'},                                                 /* ▇ █ ▉ ▊ ▋ */
    {0x258c, 0x2590, '|'},                                                 /* ▌ ▍ ▎ ▏ ▐ */
    {0x2591, 0x2591, ':'},                                                 /* ░ */
    {0x2592, 0x2592, '='},                                                 /* ▒ */
    {0x2593, 0x2593, '%'},                                                 /* ▓ */
    {0x25a0, 0x25a0, '#'},                                                 /* ■ */
    {0x25a1, 0x25a1, 'o'},                                                 /* □ */
    {0x25aa, 0x25aa, '*'},                                                 /* ▪ */
    {0x25b2, 0x25b4, '^'},                                                 /* ▲ ▴ */
    {0x25b6, 0x25b8, '>'},                                                 /* ▶ ▸ */
    {0x25bc, 0x25be, 'v'},                                                 /* ▼ ▾ */
    {0x25c0, 0x25c2, '<'},                                                 /* ◀ ◂ */
    {0x25c6, 0x25c6, '*'},                                                 /* ◆ */
    {0x25c7, 0x25c7, 'o'},                                                 /* ◇ */
    {0x25cb, 0x25cb, 'o'},                                                 /* ○ */
    {0x25cf, 0x25cf, '*'},                                                 /* ● */
    {0x2713, 0x2714, 'v'},                                                 /* ✓ ✔ */
    {0x2715, 0x2718, 'x'},                                                 /* ✕ ✗ ✘ */
    {0x27e8, 0x27e8, '<'},  {0x27e9, 0x27e9, '>'},  {0x2800, 0x2800, ' '}, /* empty braille pattern */
    {0x2801, 0x28ff, '*'},                                                 /* braille, the dots of plots */
};

static bool range_has(const struct range *table, size_t count, uint32_t glyph)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (glyph > table[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && glyph >= table[low].first;
}

uint32_t glyph_decode(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    uint32_t lead = s[0];
    if (lead == 0)
        return 0;
    *text += 1;
    if (lead < 0x80)
        return lead;
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4)
        return GLYPH_REPLACEMENT;
    uint32_t glyph = lead & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) /* also stops at the NUL */
            return GLYPH_REPLACEMENT;
        glyph = glyph << 6 | (s[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (glyph < least[more] || glyph > 0x10ffff || (glyph >= 0xd800 && glyph <= 0xdfff))
        return GLYPH_REPLACEMENT;
    *text += more;
    return glyph;
}

size_t glyph_encode(uint32_t glyph, char *out)
{
    if (glyph > 0x10ffff || (glyph >= 0xd800 && glyph <= 0xdfff))
        glyph = GLYPH_REPLACEMENT;
    size_t length = glyph < 0x80 ? 1 : glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
    static const uint32_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[length] = '\0';
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80u | (glyph & 0x3fu));
        glyph >>= 6;
    }
    out[0] = (char)(lead[length] | glyph);
    return length;
}

int glyph_width(uint32_t glyph)
{
    if (glyph < 0x300)
        return 1;
    if (range_has(zero, sizeof zero / sizeof *zero, glyph))
        return 0;
    return range_has(wide, sizeof wide / sizeof *wide, glyph) ? 2 : 1;
}

uint32_t glyph_safe(uint32_t glyph)
{
    bool control = glyph < 0x20 || (glyph >= 0x7f && glyph < 0xa0);
    bool separator = glyph == 0x2028 || glyph == 0x2029;
    bool noncharacter = (glyph & 0xfffe) == 0xfffe || (glyph >= 0xfdd0 && glyph <= 0xfdef);
    bool surrogate = glyph >= 0xd800 && glyph <= 0xdfff;
    return control || separator || noncharacter || surrogate || glyph > 0x10ffff ? GLYPH_REPLACEMENT : glyph;
}

char glyph_ascii(uint32_t glyph)
{
    if (glyph >= 0x20 && glyph < 0x7f)
        return (char)glyph;
    size_t low = 0, high = sizeof stand_ins / sizeof *stand_ins;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (glyph > stand_ins[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < sizeof stand_ins / sizeof *stand_ins && glyph >= stand_ins[low].first)
        return stand_ins[low].ascii;
    return '?';
}

int glyph_text_width(const char *text)
{
    int width = 0;
    for (uint32_t glyph; (glyph = glyph_decode(&text)) != 0;)
        width += width < INT_MAX - 2 ? glyph_width(glyph_safe(glyph)) : 0;
    return width;
}

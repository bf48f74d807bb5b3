/* panel_parts.c: pages, paragraphs, shortened numbers, number lines. */
#include "panel_parts.h"
#include "glyph.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MARGIN = 2 };

void page_rule(struct page *p, const char *title)
{
    p->row += p->roomy;
    grid_rule(p->g, p->row++, p->col, p->cols, title);
}

/* How many bytes of the text fit into `cols` columns, broken at a blank where there is one. */
static size_t line_bytes(const char *text, int cols)
{
    size_t bytes = 0, at_blank = 0;
    int width = 0;
    const char *next = text;
    for (uint32_t glyph; (glyph = glyph_decode(&next)) != 0; bytes = (size_t)(next - text)) {
        if (glyph == ' ')
            at_blank = bytes;
        width += glyph_width(glyph);
        if (width > cols)
            return at_blank > 0 ? at_blank : bytes > 0 ? bytes : 1;
    }
    return bytes;
}

void page_paragraph(struct page *p, enum role role, const char *text)
{
    int cols = p->cols - 2 * MARGIN > 8 ? p->cols - 2 * MARGIN : 8;
    while (*text == ' ')
        text++;
    while (*text) {
        char line[TEXT_LINE * 4];
        size_t bytes = line_bytes(text, cols);
        bytes = bytes < sizeof line ? bytes : sizeof line - 1;
        memcpy(line, text, bytes);
        line[bytes] = '\0';
        grid_text(p->g, p->row++, p->col + MARGIN, role, line);
        text += bytes;
        while (*text == ' ')
            text++;
    }
}

int page_field(struct page *p, int col, int cols, const char *label, enum role role, const char *value)
{
    char text[TEXT_VALUE];
    int at = col + grid_text(p->g, p->row, col, ROLE_DIM, label);
    panel_number(value, cols - (at - col), text);
    return at + grid_text(p->g, p->row, at, role, text);
}

/* --- shortened numbers --- */

/* A plain or scientific decimal, taken apart. */
struct decimal {
    const char *sign;
    const char *whole, *fraction; /* digits */
    int whole_digits, fraction_digits;
    bool cut;             /* it already ends in an ellipsis */
    const char *exponent; /* "e38", or "" */
};

static const char ELLIPSIS[] = "…";

static bool decimal_read(const char *text, struct decimal *d)
{
    *d = (struct decimal){.sign = "", .exponent = ""};
    if (strncmp(text, "−", strlen("−")) == 0) {
        d->sign = "−";
        text += strlen("−");
    } else if (*text == '-' || *text == '+') {
        d->sign = *text == '-' ? "-" : "+";
        text++;
    }
    d->whole = text;
    while (isdigit((unsigned char)*text))
        text++;
    d->whole_digits = (int)(text - d->whole);
    if (*text == '.')
        text++;
    d->fraction = text;
    while (isdigit((unsigned char)*text))
        text++;
    d->fraction_digits = (int)(text - d->fraction);
    if (strncmp(text, ELLIPSIS, strlen(ELLIPSIS)) == 0) {
        d->cut = true;
        text += strlen(ELLIPSIS);
    }
    if (*text == 'e')
        d->exponent = text;
    for (text += *text == 'e'; isdigit((unsigned char)*text) || *text == '-' || *text == '+';)
        text++;
    return *text == '\0' && d->whole_digits > 0;
}

static int leading_zeros(const struct decimal *d)
{
    int zeros = 0;
    while (zeros < d->fraction_digits && d->fraction[zeros] == '0')
        zeros++;
    return zeros;
}

/* Moves the point behind the first digit that is not zero; digits is where the moved ones lie. */
static void decimal_normalise(struct decimal *d, char *digits, size_t size, char *exponent,
                              size_t exponent_size)
{
    bool below_one = d->whole_digits == 1 && d->whole[0] == '0';
    int zeros = below_one ? leading_zeros(d) : 0;
    int power = below_one ? -zeros - 1 : d->whole_digits - 1;
    snprintf(digits, size, "%.*s%.*s", below_one ? 0 : d->whole_digits, d->whole, d->fraction_digits - zeros,
             d->fraction + zeros);
    size_t length = strlen(digits);
    while (!d->cut && length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
    d->whole = digits;
    d->whole_digits = 1;
    d->fraction = digits + 1;
    d->fraction_digits = (int)strlen(digits) - 1;
    snprintf(exponent, exponent_size, "e%d", power);
    d->exponent = exponent;
}

void panel_number(const char *text, int width, char *out)
{
    char digits[TEXT_VALUE], exponent[16];
    struct decimal d;
    width = width < 12 ? 12 : width;
    if (glyph_text_width(text) <= width) {
        snprintf(out, TEXT_VALUE, "%s", text);
        return;
    }
    if (!decimal_read(text, &d)) {
        size_t bytes = line_bytes(text, width - 1);
        snprintf(out, TEXT_VALUE, "%.*s%s", (int)bytes, text, ELLIPSIS);
        return;
    }
    bool tiny = d.whole_digits == 1 && d.whole[0] == '0' && leading_zeros(&d) > 4;
    bool huge = d.whole_digits > width - 3;
    if (*d.exponent == '\0' && (tiny || huge) && d.fraction_digits < TEXT_VALUE - d.whole_digits)
        decimal_normalise(&d, digits, sizeof digits, exponent, sizeof exponent);
    /* sign, whole, point, digits, ellipsis, exponent */
    int room = width - glyph_text_width(d.sign) - d.whole_digits - 2 - (int)strlen(d.exponent);
    int keep = d.fraction_digits;
    bool cut = d.cut;
    if (keep > room + !cut) {
        keep = room > 0 ? room : 0;
        cut = true;
    }
    snprintf(out, TEXT_VALUE, "%s%.*s%s%.*s%s%s", d.sign, d.whole_digits, d.whole, keep > 0 || cut ? "." : "",
             keep, d.fraction, cut ? ELLIPSIS : "", d.exponent);
}

/* --- number lines --- */

enum { LINE_MARGIN = 8 };

/* A label centred on a column, moved so that it stays within the page. */
static int centred(const struct page *p, int at, int width)
{
    int from = at - width / 2, last = p->col + p->cols - MARGIN - width;
    from = from > last ? last : from;
    return from < p->col + MARGIN ? p->col + MARGIN : from;
}

/* Draws the part of the line whose reals round to the stored neighbour heavy. */
static void heavy_part(struct page *p, const struct number_line *line, enum round_mode mode, int low,
                       int high)
{
    int middle = low + (high - low) / 2;
    bool nearest = mode == ROUND_RNE || mode == ROUND_RNA;
    if (line->stored < 0 || line->alone || mode == ROUND_SR)
        return;
    int from = nearest && line->stored == 1 ? middle : low,
        end = nearest && line->stored == 0 ? middle : high;
    grid_fill(p->g, rect_make(p->row, from, 1, end - from), ROLE_SIGNIFICAND, 0x2501); /* ━ */
}

static void line_end(struct page *p, int at, const char *value, const char *hex, bool stored, bool right)
{
    enum role role = stored ? ROLE_TEXT : ROLE_DIM;
    int width = glyph_text_width(value), from = centred(p, at, width);
    grid_text(p->g, p->row + 2, from, role, value);
    width = glyph_text_width(hex);
    from = centred(p, at, width);
    grid_text(p->g, p->row + 3, from, role, hex);
    if (stored && right)
        grid_text(p->g, p->row + 3, from - 9, ROLE_FOCUS, "stored ▸");
    else if (stored)
        grid_text(p->g, p->row + 3, from + width + 1, ROLE_FOCUS, "◂ stored");
}

void page_number_line(struct page *p, const struct number_line *line, enum round_mode mode, const char *name)
{
    struct grid *g = p->g;
    int low = p->col + LINE_MARGIN, high = p->col + p->cols - 1 - LINE_MARGIN;
    int middle = low + (high - low) / 2;
    int mark = line->position == 0.5 ? middle : low + (int)(line->position * (high - low) + 0.5);
    if (!line->valid) {
        page_paragraph(p, ROLE_DIM, "an infinity or a NaN has no place on the line of real numbers");
        return;
    }
    char label[TEXT_SHORT * 2];
    snprintf(label, sizeof label, "%s %s", name, line->exact);
    int width = glyph_text_width(label), from = centred(p, mark, width);
    int at = from + grid_text(g, p->row, from, ROLE_DIM, name) + 1;
    grid_text(g, p->row, at, ROLE_FOCUS, line->exact);
    p->row++;
    grid_fill(g, rect_make(p->row, low, 1, high - low), ROLE_RULE, 0x2500);
    heavy_part(p, line, mode, low, high);
    grid_put(g, p->row, low, line->stored == 0 ? ROLE_TEXT : ROLE_RULE, 0x253c); /* ┼ */
    grid_put(g, p->row, high, line->stored == 1 ? ROLE_TEXT : ROLE_RULE, 0x253c);
    grid_put(g, p->row, middle, ROLE_DIM, 0x2506); /* ┆ */
    grid_put(g, p->row, mark, ROLE_FOCUS, 0x25cf); /* ● */
    p->row--;
    line_end(p, low, line->low, line->low_hex, line->stored == 0, false);
    line_end(p, high, line->high, line->high_hex, line->stored == 1, true);
    snprintf(label, sizeof label, "tie %s", line->tie);
    width = glyph_text_width(label);
    grid_text(g, p->row + 2, centred(p, middle, width), ROLE_DIM, label);
    p->row += 4;
}

/* glyph.h: what a character is to the screen: its bytes, its width, and its ASCII stand-in.
 *
 * Nothing here depends on the locale, so that a screen has the same cells on every machine. */
#ifndef ULPSCOPE_UI_GLYPH_H
#define ULPSCOPE_UI_GLYPH_H

#include <stddef.h>
#include <stdint.h>

enum {
    GLYPH_REPLACEMENT = 0xfffd, /* stands for bytes that are not UTF-8, and for control characters */
    GLYPH_UTF8_MAX = 5          /* size of a buffer for one encoded glyph and its NUL */
};

/* Decodes the code point at *text and moves *text behind it; 0 at the terminating NUL, which is not passed.
 * A byte that does not belong to well-formed UTF-8 (overlong, surrogate, beyond U+10FFFF, cut off) is
 * consumed alone and gives GLYPH_REPLACEMENT. */
uint32_t glyph_decode(const char **text);

/* Writes the UTF-8 of a glyph and a NUL to out[GLYPH_UTF8_MAX]; returns its length without the NUL.  What is
 * not a Unicode scalar value is written as GLYPH_REPLACEMENT. */
size_t glyph_encode(uint32_t glyph, char *out);

/* Columns of a glyph on the screen: 0 for combining marks and invisible format characters, 2 for wide East
 * Asian characters and emoji, else 1. */
int glyph_width(uint32_t glyph);

/* The glyph for the screen: control characters, surrogates and noncharacters become GLYPH_REPLACEMENT, so
 * that no text, wherever it came from, can steer a terminal or break an XML file. */
uint32_t glyph_safe(uint32_t glyph);

/* The one ASCII character that stands for a glyph where only ASCII can be shown; '?' for what has none. */
char glyph_ascii(uint32_t glyph);

/* Columns that a UTF-8 text takes (the sum of its glyphs' widths; INT_MAX at most). */
int glyph_text_width(const char *text);

#endif

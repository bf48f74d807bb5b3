/* export.h: a grid as a file, for slides, documents and tests.
 *
 * Each function writes the whole grid and returns false when the file took an error (disk full, closed pipe);
 * the caller flushes and closes. */
#ifndef ULPSCOPE_UI_EXPORT_H
#define ULPSCOPE_UI_EXPORT_H

#include "cell.h"
#include <stdio.h>

/* UTF-8 text (ASCII when the grid is), one line a row, without trailing blanks. */
bool export_text(const struct grid *g, FILE *file);

/* The same with SGR escapes for roles and attributes.  Every line starts and ends in the default state. */
bool export_ansi(const struct grid *g, FILE *file, enum depth depth);

struct export_svg {
    const char *title;     /* what a screen reader says of the picture; NULL: "ulpscope" */
    bool light_background; /* else dark */
};

/* A picture that stands alone: no script, no fonts to load.  Words are selectable text, each placed at its
 * own column and held to its width; lines, blocks, shades and braille are shapes, so that they join in every
 * renderer. */
bool export_svg(const struct grid *g, FILE *file, const struct export_svg *options);

#endif

/* panel.h: what a panel is: a name, a key, and a function that draws a snapshot into a rectangle of cells.
 *
 * A panel sees a const snapshot, the screen's own view state and the grid: no device, no thread, no clock, no
 * curses, and it does no arithmetic on numbers: it places texts, and marks on axes.  To add one, write
 * panel_NAME.c and add a row to panel_table in panel.c. */
#ifndef ULPSCOPE_UI_PANEL_H
#define ULPSCOPE_UI_PANEL_H

#include "cell.h"
#include "snapshot.h"

enum panel_id { PANEL_BITS, PANEL_UPDATE, PANEL_SCALE, PANEL_TRAIN, PANEL_COUNT };

/* What Train plots over the steps. */
enum train_curve {
    CURVE_LOSS,
    CURVE_FLUSHED,
    CURVE_LOST,
    CURVE_SCALE,
    CURVE_NORM,
    CURVE_WEIGHT, /* the watched one */
    CURVE_COUNT
};

/* Where the person is: changed by the app's commands, read by panels. */
struct view {
    enum panel_id panel;
    int format;             /* selected row of Bits */
    int bit;                /* selected bit of that row, 0 = the last */
    int block;              /* selected element of a block in Bits */
    int scheme;             /* selected row of Update */
    int tensor;             /* selected row of Train's tensor table */
    bool roams;             /* the person has moved in that table since the run moved */
    enum train_curve curve; /* that Train plots */
    int element;            /* selected element of that tensor, row-major */
    int scroll[PANEL_COUNT];
    int rows;   /* of the panel's area, as far as known: how much is in sight at a time */
    bool stale; /* an answer is on its way: dim what may change */
    char search[64];
};

struct panel {
    const char *name;  /* "bits": on the command line */
    const char *title; /* "Bits" */
    /* Draws into `area` (at least 80 x 20).  Sets the grid's cursor on what has the focus. */
    void (*draw)(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);
    /* How many rows the whole content would take at that width: for scrolling.  NULL: it always fits. */
    int (*height)(int cols, const struct view *v, const struct snapshot *s);
};
extern const struct panel panel_table[PANEL_COUNT];

void panel_bits_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);
void panel_update_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);
void panel_scale_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);
void panel_train_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);

/* The row of the page on which the selected format stands: scrolling keeps it in sight. */
int panel_bits_selected_row(const struct view *v, const struct snapshot *s);
int panel_bits_height(int cols, const struct view *v, const struct snapshot *s);
int panel_update_height(int cols, const struct view *v, const struct snapshot *s);

#endif

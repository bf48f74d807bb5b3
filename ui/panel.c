/* panel.c: the table of panels. */
#include "panel.h"

const struct panel panel_table[PANEL_COUNT] = {
    [PANEL_BITS] = {"bits", "Bits", panel_bits_draw, panel_bits_height},
    [PANEL_UPDATE] = {"update", "Update", panel_update_draw, panel_update_height},
    [PANEL_SCALE] = {"scale", "Scale", panel_scale_draw, NULL},
    [PANEL_TRAIN] = {"train", "Train", panel_train_draw, NULL},
};

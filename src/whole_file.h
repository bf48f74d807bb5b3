/* whole_file.h: files that are written whole or not at all: under a temporary name beside the old one, forced to
 * disk and renamed.  Whatever happens, the old or the new file is there. */
#ifndef ULPSCOPE_SRC_WHOLE_FILE_H
#define ULPSCOPE_SRC_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

enum { SAVE_PATH = 1024 };

struct whole_file {
    FILE *out;
    char target[SAVE_PATH], temporary[SAVE_PATH];
};

/* A link is followed; what is there and no regular file (a device, a FIFO, a folder) is refused: renaming would
 * put a file in its place.  False with a message in error[160]. */
bool whole_file_open(struct whole_file *w, const char *file, char *error);

/* Puts it in the target's place, or drops it where `keep` is false.  False with a message in error[160] where
 * that fails; nothing is left behind then. */
bool whole_file_close(struct whole_file *w, bool keep, char *error);

#endif

/* save.h: sessions as files: the commands that lead to a place, and the digests to be reached there.
 *
 * A saved session is a demo script without narration, so `play --check` takes it, too.  It is written under a
 * temporary name beside the old file, forced to disk and renamed: whatever happens, one of the two is there,
 * whole. */
#ifndef ULPSCOPE_SRC_SAVE_H
#define ULPSCOPE_SRC_SAVE_H

#include "session.h"
#include "whole_file.h"

enum save_result {
    SAVE_DONE,
    SAVE_FAILED,  /* not written, not readable, or no saved session */
    SAVE_DIFFERS, /* replayed, but another digest was reached */
};

/* False with a message in error[160]. */
bool save_write(struct session *s, const char *file, char *error);

/* Replays a file in place of what the session does now.  A file that is no saved session leaves the session
 * as it is; a message in error[160] says what is wrong, with the line. */
enum save_result save_read(struct session *s, const char *file, char *error);

/* $XDG_STATE_HOME/ulpscope/autosave, or ~/.local/state/ulpscope/autosave.  False if neither is to be had. */
bool save_auto_path(char *path, size_t size);

/* Writes there, folders and all.  The file of an earlier run, if there is one, is kept as autosave.last when
 * this run writes for the first time (`first`). */
bool save_auto(struct session *s, const char *path, bool first, char *error);

/* The mark that a session which saves itself there is open: the number of its process in autosave.open.  Set and
 * cleared as far as that can be done. */
void save_auto_mark(const char *path, bool open);

/* Whether the mark is there and its process is not: that session was cut off, and `restore` has it. */
bool save_auto_cut_off(const char *path);

#endif

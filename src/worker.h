/* worker.h: the thread that owns a session in the UI.
 *
 * The screen sends command lines and takes snapshots; it never waits.  While a run is on, the worker steps in
 * slices of a few milliseconds, looks for commands in between, and publishes at most 30 snapshots a second;
 * else it sleeps. */
#ifndef ULPSCOPE_SRC_WORKER_H
#define ULPSCOPE_SRC_WORKER_H

#include "session.h"

struct worker; /* opaque */

/* Starts the thread, which opens the session itself (a GPU takes its time).  A byte is written to wake_fd
 * whenever there is a new snapshot.  NULL if there is no thread to be had. */
struct worker *worker_start(const struct session_options *options, int wake_fd);

/* From now on the session saves itself to that file (save.h) while it changes, every few seconds, and when it
 * ends. */
void worker_autosave(struct worker *w, const char *path);

/* Queues a session command line.  False if the queue is full (256). */
bool worker_send(struct worker *w, const char *line);

/* The newest snapshot, if there is one that was not taken yet: the caller owns it.  Else NULL. */
struct snapshot *worker_take(struct worker *w);

/* Asks the thread to end and waits up to `milliseconds`; a hung device is left behind. */
void worker_stop(struct worker *w, int milliseconds);

#endif

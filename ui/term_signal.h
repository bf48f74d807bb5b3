/* term_signal.h: signals for term.c; nobody else includes this.
 *
 * Handlers only set flags and write to a pipe.  Their state is the one global of the screens, for a signal
 * handler has no other way to find it. */
#ifndef ULPSCOPE_UI_TERM_SIGNAL_H
#define ULPSCOPE_UI_TERM_SIGNAL_H

#include <stdbool.h>

enum { SIGNAL_RESTORE_MAX = 512 };

/* Installs the handlers and makes the pipe.  A signal that is ignored stays ignored (nohup).  in_fd's
 * terminal modes are noted as those to go back to.  False, with errno, when there is no pipe. */
bool signal_open(int in_fd, int out_fd);

/* What to write to the terminal on a crash, from now on; "" for nothing. */
void signal_set_restore(const char *bytes);

/* Puts the handlers back as they were. */
void signal_close(void);

int signal_fd(void);

/* Empties the pipe; call before looking at the flags. */
void signal_drain(void);

/* Each takes its flag back. */
bool signal_take_resize(void);
bool signal_take_stop(void);
bool signal_take_continue(void);
int signal_take_fatal(void); /* the signal, or 0 */

/* Stops the process as its default action for SIGTSTP does; returns when it goes on. */
void signal_stop_here(void);

/* Dies of this signal with its default action. */
void signal_raise_default(int signal_number);

#endif

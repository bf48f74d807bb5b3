/* term_signal.c: the self-pipe and the crash handler (POSIX 2.4.3: only async-signal-safe calls in handlers).
 */
#include "term_signal.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Asked to leave, by kind of handler. */
static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const int event_signals[] = {SIGWINCH, SIGTSTP, SIGCONT};

enum {
    FATAL = 4,
    CRASH = 5,
    EVENT = 3,
    ALL = FATAL + CRASH + EVENT + 1, /* SIGALRM */
    CRASH_STACK = 1 << 16,
    FATAL_SECONDS = 2 /* for the main loop to leave in good order */
};

static struct {
    int pipe[2];
    int in_fd, out_fd;
    struct termios modes;
    bool has_modes;
    char restore[SIGNAL_RESTORE_MAX];
    atomic_int restore_length;
    atomic_int resized, stopped, continued, fatal;
    atomic_int asked; /* the first signal that asked to leave; 0: none */
    struct sigaction old[ALL];
    int count; /* handlers installed */
    int installed[ALL];
    char *stack; /* for the crash handler: the fault may be that the stack is full */
    stack_t old_stack;
} state = {.pipe = {-1, -1}};

static void wake(void)
{
    ssize_t written = write(state.pipe[1], "", 1);
    (void)written; /* a full pipe wakes as well */
}

static void restore_terminal(void)
{
    size_t length = (size_t)atomic_exchange(&state.restore_length, 0);
    tcflow(state.out_fd, TCOON); /* output that was stopped would make the writing below wait for ever */
    for (size_t done = 0; done < length;) {
        ssize_t written = write(state.out_fd, state.restore + done, length - done);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            break;
    }
    tcflush(state.in_fd, TCIFLUSH); /* mouse reports must not become the shell's input */
    if (state.has_modes)
        tcsetattr(state.in_fd, TCSANOW, &state.modes);
}

/* Gives a signal back to who had it before (the default, or a sanitizer that reports), and raises it. */
static void pass_on(int signal_number)
{
    for (int i = 0; i < state.count; i++)
        if (state.installed[i] == signal_number)
            sigaction(signal_number, &state.old[i], NULL);
    raise(signal_number);
}

static void on_event(int signal_number)
{
    int saved = errno;
    atomic_int *flag = signal_number == SIGWINCH  ? &state.resized
                       : signal_number == SIGTSTP ? &state.stopped
                                                  : &state.continued;
    atomic_store(flag, 1);
    wake();
    errno = saved;
}

static void on_fatal(int signal_number)
{
    int saved = errno, nobody = 0;
    if (atomic_compare_exchange_strong(&state.asked, &nobody, signal_number))
        alarm(FATAL_SECONDS);
    atomic_store(&state.fatal, signal_number);
    wake();
    errno = saved;
}

/* The main loop has not left in time; it may be waiting for a terminal that takes nothing: go without it. */
static void on_late(int signal_number)
{
    int asked = atomic_load(&state.asked);
    tcflush(state.out_fd, TCOFLUSH); /* room for what restores it */
    restore_terminal();
    pass_on(asked ? asked : signal_number);
}

static void on_crash(int signal_number)
{
    restore_terminal();
    pass_on(signal_number);
}

static void install(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    struct sigaction *old = &state.old[state.count];
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, NULL, old) != 0 || old->sa_handler == SIG_IGN)
        return;
    if (sigaction(signal_number, &action, NULL) == 0)
        state.installed[state.count++] = signal_number;
}

static bool pipe_open(void)
{
    if (pipe(state.pipe) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(state.pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(state.pipe[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static void stack_open(void)
{
    state.stack = malloc(CRASH_STACK);
    stack_t stack = {.ss_sp = state.stack, .ss_size = CRASH_STACK};
    if (state.stack)
        sigaltstack(&stack, &state.old_stack);
}

bool signal_open(int in_fd, int out_fd)
{
    if (!pipe_open())
        return false;
    state.in_fd = in_fd;
    state.out_fd = out_fd;
    state.has_modes = tcgetattr(in_fd, &state.modes) == 0;
    atomic_store(&state.restore_length, 0);
    atomic_store(&state.resized, 0);
    atomic_store(&state.stopped, 0);
    atomic_store(&state.continued, 0);
    atomic_store(&state.fatal, 0);
    atomic_store(&state.asked, 0);
    state.count = 0;
    stack_open();
    for (int i = 0; i < FATAL; i++)
        install(fatal_signals[i], on_fatal, SA_RESTART);
    install(SIGALRM, on_late, SA_RESTART);
    for (int i = 0; i < EVENT; i++)
        install(event_signals[i], on_event, SA_RESTART);
    for (int i = 0; i < CRASH; i++)
        install(crash_signals[i], on_crash, SA_ONSTACK);
    return true;
}

void signal_set_restore(const char *bytes)
{
    size_t length = strlen(bytes);
    atomic_store(&state.restore_length, 0);
    if (length >= sizeof state.restore)
        return;
    memcpy(state.restore, bytes, length);
    atomic_store(&state.restore_length, (int)length);
}

void signal_close(void)
{
    if (atomic_load(&state.asked))
        alarm(0);
    for (int i = 0; i < state.count; i++)
        sigaction(state.installed[i], &state.old[i], NULL);
    state.count = 0;
    if (state.stack) {
        sigaltstack(&state.old_stack, NULL);
        free(state.stack);
        state.stack = NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (state.pipe[i] >= 0)
            close(state.pipe[i]);
        state.pipe[i] = -1;
    }
}

int signal_fd(void)
{
    return state.pipe[0];
}

void signal_drain(void)
{
    char bytes[64];
    while (read(state.pipe[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        ;
}

bool signal_take_resize(void)
{
    return atomic_exchange(&state.resized, 0) != 0;
}

bool signal_take_stop(void)
{
    return atomic_exchange(&state.stopped, 0) != 0;
}

bool signal_take_continue(void)
{
    return atomic_exchange(&state.continued, 0) != 0;
}

int signal_take_fatal(void)
{
    return atomic_exchange(&state.fatal, 0);
}

void signal_stop_here(void)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    sigset_t mask, old;
    sigemptyset(&stop.sa_mask);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTSTP);
    sigaction(SIGTSTP, &stop, &ours);
    sigprocmask(SIG_UNBLOCK, &mask, &old);
    raise(SIGTSTP); /* the whole process stops here */
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}

void signal_raise_default(int signal_number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    sigemptyset(&mask);
    sigaddset(&mask, signal_number);
    sigaction(signal_number, &action, NULL);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    _exit(128 + signal_number); /* only if that did not end it */
}

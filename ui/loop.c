/* loop.c: poll, keys, snapshots, at most one drawing a round. */
#include "loop.h"
#include "save.h"
#include "worker.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_WAIT_MS = 30, /* for the first snapshot: without it the first frame would be an empty one */
    DIM_AFTER_MS = 60,  /* an answer that is quicker replaces the old one without a flicker */
    STOP_MS = 150       /* for the worker to end; a hung device is left behind */
};

struct loop {
    struct app *app;
    struct term *term;
    struct worker *worker;
    struct grid *grid;
    int wake[2];
    int64_t dim_at; /* when the answers are to be dimmed; 0: not */
    bool resized;
    bool opened; /* a snapshot of a session that works has come */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool send(void *context, const char *line)
{
    struct loop *l = context;
    return worker_send(l->worker, line);
}

/* --- what libraries might print while the screen is up --- */

struct saved_stderr {
    int fd;     /* the real one, or -1 */
    FILE *held; /* what was printed meanwhile */
};

static void hold_stderr(struct saved_stderr *s)
{
    s->fd = -1;
    s->held = isatty(STDERR_FILENO) ? tmpfile() : NULL;
    if (!s->held)
        return;
    s->fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (s->fd >= 0 && dup2(fileno(s->held), STDERR_FILENO) < 0) {
        close(s->fd);
        s->fd = -1;
    }
}

static void release_stderr(struct saved_stderr *s)
{
    char text[1024];
    size_t n;
    if (s->fd >= 0) {
        fflush(stderr);
        dup2(s->fd, STDERR_FILENO);
        close(s->fd);
        rewind(s->held);
        while ((n = fread(text, 1, sizeof text, s->held)) > 0)
            fwrite(text, 1, n, stderr);
    }
    if (s->held)
        fclose(s->held);
}

/* --- rounds --- */

static void take_snapshots(struct loop *l)
{
    char bytes[64];
    while (read(l->wake[0], bytes, sizeof bytes) > 0)
        ;
    struct snapshot *s = worker_take(l->worker);
    if (!s)
        return;
    l->opened = l->opened || !s->failed;
    l->dim_at = 0;
    app_take_snapshot(l->app, s);
}

static void take_keys(struct loop *l)
{
    struct term_key key;
    while (!app_done(l->app) && term_key(l->term, &key)) {
        if (strcmp(key.name, "Signal") == 0)
            term_die(l->term, key.signal);
        if (strcmp(key.name, "Resize") == 0)
            l->resized = true;
        else
            app_key(l->app, &key);
    }
    if (app_waiting(l->app) && l->dim_at == 0)
        l->dim_at = now_ms() + DIM_AFTER_MS;
}

static bool draw(struct loop *l)
{
    int rows, cols;
    term_size(l->term, &rows, &cols);
    if ((rows != l->grid->rows || cols != l->grid->cols) && !grid_resize(l->grid, rows, cols))
        return false;
    app_draw(l->app, l->grid);
    term_present(l->term, l->grid);
    return true;
}

/* Waits for a key, a signal or a snapshot, or until `limit` ms have passed (-1: for ever). */
static void wait_for(struct loop *l, int64_t limit)
{
    struct pollfd fds[] = {{.fd = term_fd(l->term), .events = POLLIN},
                           {.fd = term_signal_fd(l->term), .events = POLLIN},
                           {.fd = l->wake[0], .events = POLLIN}};
    poll(fds, 3, (int)limit);
}

static int64_t time_left(const struct loop *l)
{
    if (l->dim_at == 0)
        return -1;
    int64_t left = l->dim_at - now_ms();
    return left > 0 ? left : 0;
}

/* False when the session never came to life: its snapshot says why. */
static bool session_lives(const struct loop *l)
{
    const struct snapshot *s = app_snapshot(l->app);
    return !s || !s->failed || l->opened;
}

static enum loop_result rounds(struct loop *l, char *error)
{
    struct pollfd first = {.fd = l->wake[0], .events = POLLIN};
    poll(&first, 1, FIRST_WAIT_MS);
    take_snapshots(l);
    while (session_lives(l)) {
        if (l->dim_at != 0 && time_left(l) == 0) {
            l->dim_at = 0;
            if (app_waiting(l->app))
                app_dim(l->app);
        }
        if (app_take_redraw(l->app))
            term_redraw(l->term);
        term_mouse(l->term, app_mouse(l->app));
        bool dirty = app_take_dirty(l->app);
        if ((dirty || l->resized) && !draw(l)) {
            snprintf(error, APP_ERROR, "out of memory");
            return LOOP_FAILED;
        }
        l->resized = false;
        wait_for(l, time_left(l));
        take_keys(l);
        if (app_done(l->app))
            return LOOP_DONE;
        take_snapshots(l);
    }
    snprintf(error, APP_ERROR, "%s", app_snapshot(l->app)->message);
    return LOOP_NO_DEVICE;
}

/* --- life --- */

static bool open_pipe(int *fds)
{
    if (pipe(fds) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
        fcntl(fds[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static bool start_app(struct loop *l, const struct loop_options *options, char *error)
{
    struct app_options hooks = {.send = send, .context = l, .mouse = options->term.mouse};
    char line[64];
    l->app = app_create(&hooks);
    l->grid = grid_create(0, 0);
    if (!l->app || !l->grid) {
        snprintf(error, APP_ERROR, "out of memory");
        return false;
    }
    snprintf(line, sizeof line, "panel %s", options->panel ? options->panel : panel_table[0].name);
    return app_execute(l->app, line, error) && (!options->demo || app_play(l->app, options->demo, error));
}

static enum loop_result run_screen(struct loop *l, const struct loop_options *options, char *error)
{
    struct saved_stderr saved;
    char why[TERM_ERROR];
    l->term = term_open(&options->term, why);
    if (!l->term) {
        snprintf(error, APP_ERROR, "%s", why);
        return LOOP_NO_TERMINAL;
    }
    l->grid->ascii = term_ascii(l->term);
    l->grid->braille = term_braille(l->term);
    hold_stderr(&saved);
    enum loop_result result = rounds(l, error);
    term_close(l->term);
    release_stderr(&saved);
    return result;
}

enum loop_result loop_run(const struct loop_options *options, char *error)
{
    struct loop l = {.wake = {-1, -1}};
    enum loop_result result = LOOP_FAILED;
    signal(SIGPIPE, SIG_IGN);
    if (!open_pipe(l.wake)) {
        snprintf(error, APP_ERROR, "no pipe: %s", strerror(errno));
        return LOOP_FAILED;
    }
    /* The worker first: the device opens while the terminal does. */
    char autosave[SAVE_PATH];
    bool saves = save_auto_path(autosave, sizeof autosave), cut_off = saves && save_auto_cut_off(autosave);
    l.worker = worker_start(&options->session, l.wake[1]);
    if (l.worker && saves)
        worker_autosave(l.worker, autosave);
    if (!l.worker) {
        snprintf(error, APP_ERROR, "no thread to be had");
    } else if (start_app(&l, options, error)) {
        if (cut_off)
            app_say(l.app, false, "the last session was cut off: `:restore` brings it back");
        result = run_screen(&l, options, error);
    }
    if (l.worker)
        worker_stop(l.worker, STOP_MS);
    app_free(l.app);
    grid_free(l.grid);
    /* The pipe stays open: a worker that was left behind may still write to it. */
    return result;
}

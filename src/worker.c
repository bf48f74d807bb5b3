/* worker.c: the thread that turns a session.
 *
 * The mutex guards the queue, the newest snapshot and the flags; it is never held while the session works.
 * The session and everything in `struct turning` belong to the thread alone. */
#include "worker.h"
#include "probe_text.h"
#include "save.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 256 };

/* In nanoseconds. */
static const int64_t SLICE = 4000000;   /* at most, between two looks at the clock and what is to be shown */
static const int64_t FRAME = 33400000;  /* between two snapshots of a run */
static const int64_t ANSWER = 4000000;  /* between two snapshots that answer commands */
static const int64_t SAVE = 5000000000; /* at least, between two times that a changing session saves itself */
static const int64_t RATE_WINDOW = 250000000; /* over which steps a second are measured */

struct worker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;  /* commands, or stop */
    pthread_cond_t ended; /* the thread is done */
    char device[16], *autosave;
    bool twin;
    int wake_fd;

    char *queue[QUEUE]; /* a ring: `queued` lines from `first` on */
    int first, queued;
    bool stop, has_ended;
    struct snapshot *newest; /* not taken yet */
};

/* What the thread knows between two turns. */
struct turning {
    struct worker *w;
    struct session *session;
    int64_t pending; /* whole steps still to do of a `step N` */
    int64_t way;     /* when the command began that is being carried out; 0 between commands */
    bool owes;       /* a question was answered on the way, and not shown yet */
    bool dirty;      /* something changed since the last snapshot */
    bool unsaved;    /* or since the session saved itself */
    bool has_saved;
    int64_t saved;
    int64_t published;
    int64_t rate_start, rate_steps;
    double rate;
};

static int64_t clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec clock_at(int64_t t)
{
    return (struct timespec){.tv_sec = (time_t)(t / 1000000000), .tv_nsec = (long)(t % 1000000000)};
}

/* ---- snapshots ---- */

/* A full pipe has bytes enough, and a closed one has nobody to wake. */
static void wake(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    ssize_t written = 0;
    if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT))
        written = write(fd, "s", 1);
    (void)written;
}

static void publish_snapshot(struct worker *w, struct snapshot *snapshot)
{
    pthread_mutex_lock(&w->mutex);
    struct snapshot *old = w->newest;
    w->newest = snapshot;
    pthread_mutex_unlock(&w->mutex);
    wake(w->wake_fd);
    snapshot_free(old);
}

/* Where a command is that goes a long way. */
static void publish_way(struct turning *t, int64_t step, int64_t goal)
{
    struct snapshot *snapshot = session_snapshot(t->session);
    t->published = clock_now();
    if (!snapshot || snapshot->failed) { /* the command itself will say so, or go on elsewhere */
        snapshot_free(snapshot);
        return;
    }
    snapshot->on_way = true;
    snapshot->message_is_error = false;
    text_format(snapshot->message, sizeof snapshot->message,
                "step %lld on the way to %lld: Space or Esc stops here", (long long)step, (long long)goal);
    publish_snapshot(t->w, snapshot);
}

static void publish(struct turning *t)
{
    struct snapshot *snapshot = session_snapshot(t->session);
    t->published = clock_now();
    if (!snapshot)
        return; /* no memory: the next turn tries again */
    t->dirty = false;
    snapshot->on_way = t->pending > 0;
    if (snapshot->running && t->rate > 0)
        text_format(snapshot->rate, sizeof snapshot->rate, "%.0f steps/s", t->rate);
    publish_snapshot(t->w, snapshot);
}

/* A session that cannot be opened still has something to say. */
static void publish_failure(struct worker *w, const char *why)
{
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (!snapshot)
        return;
    snapshot->generation = 1;
    snapshot->failed = snapshot->message_is_error = true;
    text_format(snapshot->device, sizeof snapshot->device, "%s", w->device);
    text_format(snapshot->message, sizeof snapshot->message, "%s", why);
    snapshot->bits.count = FORMAT_STORED_COUNT;
    for (int i = 0; i < FORMAT_STORED_COUNT; i++)
        snapshot->bits.rows[i].format = &format_table[i];
    publish_snapshot(w, snapshot);
}

/* ---- the queue ---- */

static enum command_id command_of(const char *line)
{
    char copy[32], error[160], *argument;
    text_format(copy, sizeof copy, "%s", line);
    return command_parse(copy, &argument, error);
}

/* Whoever asks a long way to pause has seen enough, whatever else waits its turn: with the end of the way that
 * is done.  The mutex is held. */
static bool take_pause(struct worker *w)
{
    for (int i = 0; i < w->queued; i++) {
        enum command_id id = command_of(w->queue[(w->first + i) % QUEUE]);
        if (id != COMMAND_PAUSE && id != COMMAND_TOGGLE)
            continue;
        free(w->queue[(w->first + i) % QUEUE]);
        for (w->queued--; i < w->queued; i++)
            w->queue[(w->first + i) % QUEUE] = w->queue[(w->first + i + 1) % QUEUE];
        return true;
    }
    return false;
}

/* Questions about values are answered although a `step N` is on; all else waits until it is done. */
static bool goes_ahead(const char *line)
{
    enum command_id id = command_of(line);
    return id == COMMAND_COUNT || strcmp(command_table[id].group, "value") == 0;
}

/* The next line that may be carried out now, to be freed; or NULL. */
static char *take_line(struct turning *t)
{
    struct worker *w = t->w;
    char *line = NULL;
    pthread_mutex_lock(&w->mutex);
    if (t->pending > 0 && take_pause(w))
        t->pending = 0;
    if (w->queued > 0 && ((t->pending == 0 && t->way == 0) || goes_ahead(w->queue[w->first]))) {
        line = w->queue[w->first];
        w->first = (w->first + 1) % QUEUE;
        w->queued--;
    }
    pthread_mutex_unlock(&w->mutex);
    return line;
}

static void carry_out(struct turning *t, char *line);

/* On a long way of one command: shows how far it is, answers questions about values, and ends it where the
 * person wants to pause or to leave. */
static bool go_on(void *context, int64_t step, int64_t goal)
{
    struct turning *t = context;
    if (t->way == 0)
        return true;
    pthread_mutex_lock(&t->w->mutex);
    bool ends = t->w->stop || take_pause(t->w);
    pthread_mutex_unlock(&t->w->mutex);
    if (ends)
        return false;
    for (char *line; (line = take_line(t)); free(line)) {
        carry_out(t, line);
        t->owes = true;
    }
    int64_t now = clock_now();
    int64_t since = now - (t->published > t->way ? t->published : t->way);
    if (since >= FRAME || (t->owes && now - t->published >= ANSWER)) {
        publish_way(t, step, goal);
        t->owes = false;
    }
    return true;
}

/* `goto N` to where the run has not been yet goes in slices, too. */
static bool goes_far(struct turning *t, const char *argument)
{
    char *end, error[160], known[24];
    errno = 0;
    long long n = strtoll(argument, &end, 10);
    int64_t frontier = session_frontier(t->session);
    if (end == argument || *end || errno || n > 1000000000 || n <= frontier + 1)
        return false;
    snprintf(known, sizeof known, "%lld", (long long)frontier + 1);
    session_command(t->session, COMMAND_GOTO, known, error);
    t->pending = session_stopped(t->session) ? 0 : n - session_steps(t->session);
    return true;
}

/* `step N` is turned in slices: N of 1 at once, the rest is kept. */
static void carry_out_line(struct turning *t, char *line)
{
    char *argument, error[160], *end;
    enum command_id id = command_parse(line, &argument, error);
    t->dirty = true;
    t->unsaved = t->unsaved || id != COMMAND_COUNT;
    if (id == COMMAND_COUNT) {
        session_say(t->session, error, true);
        return;
    }
    if (id == COMMAND_STEP) {
        errno = 0;
        long long n = strtoll(argument, &end, 10);
        if (!*end && errno == 0 && n > 1 && n <= 1000000000) {
            session_command(t->session, id, "1", error);
            t->pending = session_stopped(t->session) ? 0 : n - 1;
            return;
        }
    }
    if (id == COMMAND_GOTO && goes_far(t, argument))
        return;
    session_command(t->session, id, argument, error);
}

/* A question that is answered on the way of another command is carried out within it. */
static void carry_out(struct turning *t, char *line)
{
    int64_t way = t->way;
    t->way = way ? way : clock_now();
    carry_out_line(t, line);
    t->way = way;
}

/* ---- turning ---- */

static void count_rate(struct turning *t, int64_t steps)
{
    int64_t now = clock_now();
    t->rate_steps += steps;
    if (now - t->rate_start < RATE_WINDOW)
        return;
    t->rate = (double)t->rate_steps * 1e9 / (double)(now - t->rate_start);
    t->rate_start = now;
    t->rate_steps = 0;
}

static bool is_asked(struct worker *w)
{
    pthread_mutex_lock(&w->mutex);
    bool asked = w->stop || w->queued > 0;
    pthread_mutex_unlock(&w->mutex);
    return asked;
}

/* Until the slice is over, or somebody wants something. */
static void turn_slice(struct turning *t)
{
    int64_t until = clock_now() + SLICE, steps = 0;
    bool ok = true;
    while (ok && (t->pending > 0 || session_running(t->session)) && clock_now() < until) {
        ok = session_advance(t->session, 1);
        t->pending -= t->pending > 0;
        steps++;
        if (session_stopped(t->session))
            t->pending = 0;
        if (is_asked(t->w))
            break;
    }
    t->unsaved = t->unsaved || steps > 0;
    if (!ok)
        t->pending = 0;
    t->dirty = true;
    count_rate(t, steps);
}

/* Sleeps until there is something to do: a command, the end, or the time to show what commands changed. */
static bool wait_for_work(struct turning *t)
{
    struct worker *w = t->w;
    bool busy = t->pending > 0 || session_running(t->session);
    pthread_mutex_lock(&w->mutex);
    while (!w->stop && w->queued == 0 && !busy) {
        struct timespec due = clock_at(t->dirty ? t->published + ANSWER : t->saved + SAVE);
        if (!t->dirty && !(t->unsaved && w->autosave))
            pthread_cond_wait(&w->wake, &w->mutex);
        else if (pthread_cond_timedwait(&w->wake, &w->mutex, &due) == ETIMEDOUT)
            break;
    }
    bool go_on = !w->stop;
    pthread_mutex_unlock(&w->mutex);
    return go_on;
}

/* What cannot be written is tried again with the next change: the person has not asked for it. */
static void save_itself(struct turning *t, bool at_once)
{
    char error[160];
    int64_t now = clock_now();
    if (!t->unsaved || (!at_once && now - t->saved < SAVE))
        return;
    pthread_mutex_lock(&t->w->mutex);
    const char *path = t->w->autosave; /* set once, and freed when the thread is gone */
    pthread_mutex_unlock(&t->w->mutex);
    if (!path)
        return;
    t->saved = now;
    t->unsaved = false;
    if (!save_auto(t->session, path, !t->has_saved, error))
        return;
    if (!t->has_saved)
        save_auto_mark(path, true);
    t->has_saved = true;
}

static void turn(struct turning *t)
{
    while (wait_for_work(t)) {
        bool was_busy = t->pending > 0 || session_running(t->session);
        bool answered = false;
        for (char *line; (line = take_line(t)); free(line)) {
            carry_out(t, line);
            answered = true;
        }
        bool busy = t->pending > 0 || session_running(t->session);
        if (busy && !was_busy) {
            t->rate_start = clock_now();
            t->rate_steps = 0;
            t->rate = 0;
        }
        if (busy && !(answered && clock_now() - t->published >= ANSWER)) /* an answer goes first */
            turn_slice(t);
        busy = t->pending > 0 || session_running(t->session);
        int64_t since = clock_now() - t->published;
        if (t->dirty && since >= (busy && !answered ? FRAME : ANSWER))
            publish(t);
        save_itself(t, false);
    }
    save_itself(t, true);
    if (t->has_saved)
        save_auto_mark(t->w->autosave, false);
}

/* ---- the thread ---- */

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    struct session_options options = {w->device, w->twin};
    struct turning t = {.w = w};
    char error[DEVICE_TEXT];
    t.session = session_open(&options, error);
    if (t.session) {
        session_on_way(t.session, go_on, &t);
        publish(&t);
        turn(&t);
        session_close(t.session);
    } else {
        publish_failure(w, error);
        pthread_mutex_lock(&w->mutex);
        while (!w->stop)
            pthread_cond_wait(&w->wake, &w->mutex);
        pthread_mutex_unlock(&w->mutex);
    }
    pthread_mutex_lock(&w->mutex);
    w->has_ended = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static bool start_thread(struct worker *w)
{
    sigset_t all, before;
    pthread_condattr_t monotonic;
    if (pthread_mutex_init(&w->mutex, NULL) != 0 || pthread_condattr_init(&monotonic) != 0)
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_cond_init(&w->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all); /* signals are the screen's: the thread is born with all of them blocked */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&w->thread, NULL, worker_main, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

struct worker *worker_start(const struct session_options *options, int wake_fd)
{
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    text_format(w->device, sizeof w->device, "%s", options->device ? options->device : "auto");
    w->twin = options->twin;
    w->wake_fd = wake_fd;
    if (start_thread(w))
        return w;
    free(w);
    return NULL;
}

void worker_autosave(struct worker *w, const char *path)
{
    pthread_mutex_lock(&w->mutex);
    if (!w->autosave)
        w->autosave = strdup(path);
    pthread_mutex_unlock(&w->mutex);
}

bool worker_send(struct worker *w, const char *line)
{
    char *copy = strdup(line);
    if (!copy)
        return false;
    pthread_mutex_lock(&w->mutex);
    bool room = w->queued < QUEUE;
    if (room)
        w->queue[(w->first + w->queued++) % QUEUE] = copy;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    if (!room)
        free(copy);
    return room;
}

struct snapshot *worker_take(struct worker *w)
{
    pthread_mutex_lock(&w->mutex);
    struct snapshot *snapshot = w->newest;
    w->newest = NULL;
    pthread_mutex_unlock(&w->mutex);
    return snapshot;
}

void worker_stop(struct worker *w, int milliseconds)
{
    struct timespec due = clock_at(clock_now() + (int64_t)milliseconds * 1000000);
    pthread_mutex_lock(&w->mutex);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    while (!w->has_ended && pthread_cond_timedwait(&w->ended, &w->mutex, &due) != ETIMEDOUT)
        ;
    bool ended = w->has_ended;
    pthread_mutex_unlock(&w->mutex);
    if (!ended) { /* the device hangs: the thread and what it uses stay behind */
        pthread_detach(w->thread);
        return;
    }
    pthread_join(w->thread, NULL);
    for (; w->queued > 0; w->queued--, w->first = (w->first + 1) % QUEUE)
        free(w->queue[w->first]);
    snapshot_free(w->newest);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->mutex);
    free(w->autosave);
    free(w);
}

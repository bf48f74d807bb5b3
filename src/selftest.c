/* selftest.c: the threads that run the checks.  Each has a device of its own, and takes the next chunk of
 * inputs that nobody has. */
#include "selftest_internal.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

static const char vectors_name[] = "published vectors, parsed and rounded";

struct job {
    const struct check *check;
    const struct selftest_options *options;
    pthread_mutex_t lock;
    uint32_t next, stride;
    bool failed;
    struct selftest_result *result;
    struct selftest_progress *progress;
    struct run *run;
    char *error;
};

/* The whole run: estimated cost in seconds of one core, and the time that it really takes. */
struct run {
    int threads;
    double cost, done;   /* of all checks, of those that are over */
    double start, shown; /* on the clock */
};

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- digests ---- */

static uint64_t fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

enum { LANES = 4 }; /* one after the other, the multiplications would take longer than the checks */

static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325);

void selftest_digest(struct selftest_result *r, uint32_t chunk, const void *results, size_t bytes)
{
    const char *at = results;
    uint64_t hash[LANES], words[LANES], whole = fnv_start;
    for (int i = 0; i < LANES; i++)
        hash[i] = fold(fnv_start, chunk);
    for (; bytes >= sizeof words; bytes -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < LANES; i++)
            hash[i] = fold(hash[i], words[i]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, at, bytes);
    for (size_t i = 0; i < (bytes + 7) / 8; i++)
        hash[i] = fold(hash[i], words[i]);
    for (int i = 0; i < LANES; i++)
        whole = fold(whole, hash[i]);
    r->digest += whole;
}

/* A check's digest with its name, so that two checks cannot be exchanged. */
static uint64_t named_digest(const struct selftest_result *r)
{
    uint64_t hash = fold(fnv_start, r->digest);
    for (const char *p = r->name; *p; p++)
        hash = fold(hash, (unsigned char)*p);
    return hash;
}

/* ---- threads ---- */

static void arrays_close(struct selftest_arrays *a)
{
    if (a->device) {
        device_release(a->device, a->in);
        device_release(a->device, a->out);
        device_release(a->device, a->wide_in);
        device_release(a->device, a->wide_out);
    }
    device_close(a->device);
    free(a->host_in);
    free(a->host_out);
    free(a->host_wide_in);
    free(a->host_wide_out);
    free(a->values);
}

static bool arrays_open(struct selftest_arrays *a, const char *device, char *error)
{
    enum { VALUES = CHUNK + 1, WIDE = 24 };
    memset(a, 0, sizeof *a);
    a->device = device_open(device, error);
    if (!a->device)
        return false;
    a->in = device_alloc(a->device, VALUES * sizeof(float));
    a->out = device_alloc(a->device, VALUES * sizeof(float));
    a->wide_in = device_alloc(a->device, VALUES * WIDE);
    a->wide_out = device_alloc(a->device, VALUES * WIDE);
    a->host_in = malloc(VALUES * sizeof *a->host_in);
    a->host_out = malloc(VALUES * sizeof(float));
    a->host_wide_in = malloc(VALUES * WIDE);
    a->host_wide_out = malloc(VALUES * WIDE);
    if (a->in && a->out && a->wide_in && a->wide_out && a->host_in && a->host_out && a->host_wide_in &&
        a->host_wide_out)
        return true;
    snprintf(error, DEVICE_TEXT, "out of memory");
    return false;
}

static void merge(struct job *job, const struct selftest_result *part)
{
    struct selftest_result *r = job->result;
    if (r->differing == 0)
        memcpy(r->first, part->first, sizeof r->first);
    r->digest += part->digest;
    r->checked += part->checked;
    r->differing += part->differing;
    r->worst_ulp = part->worst_ulp > r->worst_ulp ? part->worst_ulp : r->worst_ulp;
}

static double cost_of(const struct check *check, uint32_t stride)
{
    return 1e-6 * check->cost * ((check->chunks + stride - 1) / stride);
}

/* How far the run is.  The speed that the costs promise counts as a twentieth of the run, so that the first
 * seconds do not decide alone. */
static void fill_progress(struct selftest_progress *p, const struct run *run, double now, double current)
{
    double done = run->done + current, promised = run->cost / 20;
    double speed = (done + promised) / (now - run->start + promised / run->threads);
    p->total = run->cost > 0 ? done / run->cost : 1;
    p->seconds_left = run->cost > 0 ? (run->cost - done) / speed : 0;
}

/* Once a second, with the lock held. */
static void show_progress(struct job *job, uint32_t chunk)
{
    double now = clock_now();
    if (!job->options->report || now - job->run->shown < 1)
        return;
    job->run->shown = now;
    job->progress->share = (double)chunk / job->check->chunks;
    fill_progress(job->progress, job->run, now, job->progress->share * cost_of(job->check, job->stride));
    job->options->report(job->options->context, job->progress, NULL);
}

/* The next chunk nobody has; false when there is none. */
static bool take_chunk(struct job *job, uint32_t *chunk)
{
    pthread_mutex_lock(&job->lock);
    *chunk = job->next;
    bool is_left = !job->failed && job->next < job->check->chunks;
    if (is_left)
        job->next += job->stride;
    if (is_left)
        show_progress(job, *chunk);
    pthread_mutex_unlock(&job->lock);
    return is_left;
}

static void *work(void *data)
{
    struct job *job = data;
    struct selftest_arrays arrays = {0};
    struct selftest_result part = {0};
    char error[DEVICE_TEXT] = "";
    bool ok = arrays_open(&arrays, job->options->device, error);
    for (uint32_t chunk; ok && take_chunk(job, &chunk);)
        ok = job->check->run(job->check, &arrays, chunk, &part);
    pthread_mutex_lock(&job->lock);
    if (!ok) {
        job->failed = true;
        snprintf(job->error, DEVICE_TEXT, "%s",
                 *error          ? error
                 : arrays.device ? device_error(arrays.device)
                                 : "no device");
    }
    merge(job, &part);
    pthread_mutex_unlock(&job->lock);
    arrays_close(&arrays);
    return NULL;
}

static int thread_count(int wanted)
{
    long cores = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
}

static uint32_t stride_of(const struct check *check, const struct selftest_options *options)
{
    return options->exhaustive || check->chunks < SELFTEST_QUICK_STRIDE ? 1 : SELFTEST_QUICK_STRIDE;
}

static bool run_check(struct job *job)
{
    pthread_t threads[MAX_THREADS];
    double start = clock_now();
    int started = 0;
    for (int i = 1; i < job->run->threads; i++)
        started += pthread_create(&threads[started], NULL, work, job) == 0;
    work(job);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    job->result->name = job->check->name;
    job->result->seconds = clock_now() - start;
    return !job->failed;
}

/* Whether it found a difference. */
static int report_result(const struct selftest_result *result, const struct selftest_options *options,
                         const struct run *run, struct selftest_progress *progress, uint64_t *digest)
{
    *digest += named_digest(result);
    progress->share = 1;
    progress->index++;
    fill_progress(progress, run, clock_now(), 0);
    if (options->report)
        options->report(options->context, progress, result);
    return result->differing > 0;
}

/* One check, and whether it found a difference; -1 if the device failed. */
static int run_and_report(const struct check *check, const struct selftest_options *options, struct run *run,
                          struct selftest_progress *progress, uint64_t *digest, char *error)
{
    struct selftest_result result = {0};
    struct job job = {.check = check,
                      .options = options,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .stride = stride_of(check, options),
                      .result = &result,
                      .progress = progress,
                      .run = run,
                      .error = error};
    progress->name = check->name;
    progress->share = 0;
    if (!run_check(&job))
        return -1;
    run->done += cost_of(check, job.stride);
    return report_result(&result, options, run, progress, digest);
}

/* The published cases are a check of their own, and the first: a file that cannot be read is no reason to wait. */
static bool run_vectors(const struct selftest_options *options, struct selftest_result *result, char *error)
{
    double start = clock_now();
    bool done = selftest_vectors(options->device, options->vectors, result, error);
    result->seconds = clock_now() - start;
    return done;
}

static bool is_wanted(const char *name, const struct selftest_options *options)
{
    return !options->only || strstr(name, options->only);
}

/* How many of the list are wanted, and what they cost. */
static int count_wanted(const struct check *list, int count, const struct selftest_options *options,
                        struct run *run)
{
    int wanted = 0;
    for (int i = 0; i < count; i++)
        if (is_wanted(list[i].name, options)) {
            wanted++;
            run->cost += cost_of(&list[i], stride_of(&list[i], options));
        }
    return wanted;
}

/* All checks; how many found a difference, or -1. */
static int run_list(const struct check *list, int count, const struct selftest_options *options,
                    uint64_t *digest, char *error)
{
    struct run run = {.threads = thread_count(options->threads), .start = clock_now()};
    struct selftest_progress progress = {0};
    struct selftest_result vectors = {.name = vectors_name};
    bool has_vectors = options->vectors && is_wanted(vectors_name, options);
    int found = 0, status = 0;
    if (has_vectors && !run_vectors(options, &vectors, error))
        return -1;
    progress.count = count_wanted(list, count, options, &run) + has_vectors;
    if (options->start && progress.count)
        options->start(options->context, progress.count, run.threads, run.cost / run.threads);
    if (has_vectors) {
        progress.name = vectors_name;
        found = report_result(&vectors, options, &run, &progress, digest);
    }
    for (int i = 0; i < count && status >= 0; i++)
        if (is_wanted(list[i].name, options)) {
            status = run_and_report(&list[i], options, &run, &progress, digest, error);
            found += status > 0;
        }
    return status < 0 ? -1 : found;
}

int selftest_run(const struct selftest_options *options, uint64_t *digest, char *error)
{
    struct check *list = malloc(CHECKS_MAX * sizeof *list);
    uint64_t sum = 0;
    int found = -1;
    if (list)
        found = run_list(list, selftest_checks(list), options, &sum, error);
    else
        snprintf(error, DEVICE_TEXT, "out of memory");
    free(list);
    if (digest)
        *digest = sum;
    return found;
}

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

struct job {
    const struct check *check;
    const struct selftest_options *options;
    pthread_mutex_t lock;
    uint32_t next, stride;
    bool failed;
    struct selftest_result *result;
    char *error;
};

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
    r->checked += part->checked;
    r->differing += part->differing;
    r->worst_ulp = part->worst_ulp > r->worst_ulp ? part->worst_ulp : r->worst_ulp;
}

/* The next chunk nobody has; false when there is none. */
static bool take_chunk(struct job *job, uint32_t *chunk)
{
    pthread_mutex_lock(&job->lock);
    *chunk = job->next;
    bool is_left = !job->failed && job->next < job->check->chunks;
    if (is_left)
        job->next += job->stride;
    if (is_left && *chunk % (64 * job->stride) == 0 && job->options->report)
        job->options->report(job->options->context, job->check->name, (double)*chunk / job->check->chunks,
                             NULL);
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

static int thread_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
}

static bool run_check(const struct check *check, const struct selftest_options *options,
                      struct selftest_result *result, char *error)
{
    struct job job = {.check = check,
                      .options = options,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .result = result,
                      .error = error};
    pthread_t threads[MAX_THREADS];
    struct timespec start, end;
    int started = 0;
    job.stride = options->exhaustive || check->chunks < SELFTEST_QUICK_STRIDE ? 1 : SELFTEST_QUICK_STRIDE;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 1; i < thread_count(); i++)
        started += pthread_create(&threads[started], NULL, work, &job) == 0;
    work(&job);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    result->name = check->name;
    result->seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    return !job.failed;
}

int selftest_run(const struct selftest_options *options, char *error)
{
    struct check *list = malloc(CHECKS_MAX * sizeof *list);
    int found = 0, count = list ? selftest_checks(list) : -1;
    if (!list) {
        snprintf(error, DEVICE_TEXT, "out of memory");
        return -1;
    }
    for (int i = 0; i < count; i++) {
        struct selftest_result result = {0};
        if (options->only && !strstr(list[i].name, options->only))
            continue;
        if (!run_check(&list[i], options, &result, error)) {
            free(list);
            return -1;
        }
        found += result.differing > 0;
        if (options->report)
            options->report(options->context, result.name, 1.0, &result);
    }
    free(list);
    return found;
}

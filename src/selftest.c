/* selftest.c: the checks, and the threads that run them.  Inputs are taken in chunks of consecutive
 * encodings; each thread has a device of its own and takes the next chunk that nobody has. */
#include "selftest.h"
#include "check_math.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, CHUNKS = 1 << 16, QUICK_STRIDE = 257, MAX_THREADS = 64 };

uint32_t selftest_round(uint32_t fp32, const struct format *f)
{
    uint32_t sign = fp32 >> 31 << (f->width - 1);
    uint32_t exponent = fp32 >> 23 & 0xff, trailing = fp32 & 0x7fffff;
    uint32_t infinity = ((1u << f->exponent_bits) - 1) << f->trailing_bits;
    if (exponent == 0xff && trailing)
        return sign | infinity | 1u << (f->trailing_bits - 1) | trailing >> (23 - f->trailing_bits);
    if (exponent == 0xff)
        return sign | infinity;
    /* |x| = significand x 2^(e - 23); `drop` low bits of it lie below the format's last place. */
    uint64_t significand = exponent ? trailing | 0x800000 : trailing;
    int e = exponent ? (int)exponent - 127 : -126;
    int drop = 23 - f->trailing_bits + (e < f->emin ? f->emin - e : 0);
    if (drop > 40)
        return sign;
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << drop >> 1;
    if (rest > half || (rest == half && drop > 0 && (kept & 1)))
        kept++;
    /* A significand with its leading bit counts once for the exponent: carries go where they belong. */
    int field = e < f->emin ? 0 : e - f->emin;
    uint64_t bits = ((uint64_t)field << f->trailing_bits) + kept;
    return sign | (bits > infinity ? infinity : (uint32_t)bits);
}

/* ---- what a thread works with ---- */

struct bench_arrays {
    struct device *device;
    float *in;
    void *out;
    struct round_input *wide_in;
    struct round_output *wide_out;
    uint32_t *host_in;
    void *host_out;
    struct round_input *host_wide_in;
    struct round_output *host_wide_out;
};

struct check {
    const char *name;
    bool (*run)(const struct check *check, struct bench_arrays *a, uint32_t chunk, struct selftest_result *r);
    enum format_id format;
    int function;
    uint32_t chunks; /* of CHUNK inputs */
};

static void differ(struct selftest_result *r, uint32_t input, uint32_t got, uint32_t want)
{
    if (r->differing++ == 0)
        snprintf(r->first, sizeof r->first, "0x%08x gives 0x%x, not 0x%x", input, got, want);
}

static void load_inputs(struct bench_arrays *a, uint32_t first)
{
    for (uint32_t i = 0; i < CHUNK; i++)
        a->host_in[i] = first + i;
}

/* The conversion kernel against the integer rounder above. */
static bool check_convert(const struct check *check, struct bench_arrays *a, uint32_t chunk,
                          struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    const uint16_t *got = a->host_out;
    struct cast_args args = {a->in, a->out, CHUNK, NULL};
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t want = selftest_round(a->host_in[i], f);
        if (got[i] != want)
            differ(r, a->host_in[i], got[i], want);
    }
    r->checked += CHUNK;
    return true;
}

static struct round_input wide_of(uint32_t bits)
{
    struct round_input in = {.sign = (int32_t)(bits >> 31)};
    uint32_t exponent = bits >> 23 & 0xff, trailing = bits & 0x7fffff;
    if (exponent == 0xff) {
        in.kind = trailing ? ROUND_NAN : ROUND_INFINITE;
        in.significand = (uint64_t)trailing << 41;
    } else if (exponent == 0 && trailing == 0) {
        in.kind = ROUND_ZERO;
    } else {
        in.kind = ROUND_FINITE;
        in.significand = exponent ? trailing | 0x800000 : trailing;
        in.exponent = (exponent ? (int32_t)exponent : 1) - 150;
        int shift = __builtin_clzll(in.significand);
        in.significand <<= shift;
        in.exponent -= shift;
    }
    return in;
}

/* The cast that training uses, and the rounding of exact values that Bits uses, against each other. */
static bool check_casts_agree(const struct check *check, struct bench_arrays *a, uint32_t chunk,
                              struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    struct cast_args cast = {a->in, a->out, CHUNK, NULL};
    struct round_args wide = {.in = a->wide_in,
                              .out = a->wide_out,
                              .n = CHUNK,
                              .rule = {.exponent_bits = f->exponent_bits,
                                       .trailing_bits = f->trailing_bits,
                                       .specials = (int32_t)f->specials,
                                       .mode = ROUND_RNE}};
    const uint16_t *got = a->host_out;
    load_inputs(a, chunk * CHUNK);
    for (uint32_t i = 0; i < CHUNK; i++)
        a->host_wide_in[i] = wide_of(a->host_in[i]);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_upload(a->device, a->wide_in, a->host_wide_in, CHUNK * sizeof *a->wide_in) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &cast) ||
        !device_launch(a->device, KERNEL_round_wide, &wide) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)) ||
        !device_download(a->device, a->host_wide_out, a->wide_out, CHUNK * sizeof *a->wide_out))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++)
        if (got[i] != a->host_wide_out[i].bits)
            differ(r, a->host_in[i], got[i], a->host_wide_out[i].bits);
    r->checked += CHUNK;
    return true;
}

/* Every encoding of a 16-bit format to FP32 and back: itself, or a signaling NaN's quiet form. */
static bool check_round_trip(const struct check *check, struct bench_arrays *a, uint32_t chunk,
                             struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    uint16_t *codes = a->host_out;
    struct cast_args from = {a->out, a->in, CHUNK, NULL}, to = {a->in, a->out, CHUNK, NULL};
    (void)chunk;
    for (uint32_t i = 0; i < CHUNK; i++)
        codes[i] = (uint16_t)i;
    if (!device_upload(a->device, a->out, codes, CHUNK * sizeof *codes) ||
        !device_launch(a->device, KERNEL_FOR(convert_from, check->format), &from) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &to) ||
        !device_download(a->device, codes, a->out, CHUNK * sizeof *codes))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        bool is_signaling = format_classify(f, i) == CLASS_SIGNALING_NAN;
        uint32_t want = is_signaling ? i | 1u << (f->trailing_bits - 1) : i;
        if (codes[i] != want)
            differ(r, i, codes[i], want);
    }
    r->checked += CHUNK;
    return true;
}

/* One of the kernels' mathematical functions against glibc and MPFR. */
static bool check_function(const struct check *check, struct bench_arrays *a, uint32_t chunk,
                           struct selftest_result *r)
{
    uint32_t first = chunk * CHUNK;
    struct math_args args = {a->in, a->out, CHUNK, check->function};
    struct check_math_result found = {0};
    load_inputs(a, first);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_math_map, &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(float)))
        return false;
    if (!check_math_range((enum check_math_function)check->function, first, first + CHUNK - 1, a->host_out,
                          &found)) {
        if (r->differing == 0)
            snprintf(r->first, sizeof r->first, "0x%08x", found.first_wrong_bits);
        r->differing += found.wrong;
    }
    r->checked += found.checked;
    r->worst_ulp = found.worst_ulp > r->worst_ulp ? found.worst_ulp : r->worst_ulp;
    return true;
}

static const struct check check_table[] = {
    {"every fp16 encoding to fp32 and back", check_round_trip, FORMAT_FP16, 0, 1},
    {"every bf16 encoding to fp32 and back", check_round_trip, FORMAT_BF16, 0, 1},
    {"fp32 to fp16, roundTiesToEven, against an integer rounder", check_convert, FORMAT_FP16, 0, CHUNKS},
    {"fp32 to bf16, roundTiesToEven, against an integer rounder", check_convert, FORMAT_BF16, 0, CHUNKS},
    {"fp16: the training cast and the rounding of Bits", check_casts_agree, FORMAT_FP16, 0, CHUNKS},
    {"bf16: the training cast and the rounding of Bits", check_casts_agree, FORMAT_BF16, 0, CHUNKS},
    {"exp: at most 1 ulp, monotone", check_function, FORMAT_FP32, MATH_EXP, CHUNKS},
    {"log: at most 1 ulp, monotone", check_function, FORMAT_FP32, MATH_LOG, CHUNKS},
    {"tanh: at most 1 ulp, monotone", check_function, FORMAT_FP32, MATH_TANH, CHUNKS},
    {"sin: at most 1 ulp", check_function, FORMAT_FP32, MATH_SIN, CHUNKS},
    {"cos: at most 1 ulp", check_function, FORMAT_FP32, MATH_COS, CHUNKS},
};

/* ---- threads ---- */

struct job {
    const struct check *check;
    const struct selftest_options *options;
    pthread_mutex_t lock;
    uint32_t next, stride;
    bool failed;
    struct selftest_result *result;
    char *error;
};

static void arrays_close(struct bench_arrays *a)
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

static bool arrays_open(struct bench_arrays *a, const char *device, char *error)
{
    memset(a, 0, sizeof *a);
    a->device = device_open(device, error);
    if (!a->device)
        return false;
    a->in = device_alloc(a->device, CHUNK * sizeof(float));
    a->out = device_alloc(a->device, CHUNK * sizeof(float));
    a->wide_in = device_alloc(a->device, CHUNK * sizeof *a->wide_in);
    a->wide_out = device_alloc(a->device, CHUNK * sizeof *a->wide_out);
    a->host_in = malloc(CHUNK * sizeof *a->host_in);
    a->host_out = malloc(CHUNK * sizeof(float));
    a->host_wide_in = malloc(CHUNK * sizeof *a->host_wide_in);
    a->host_wide_out = malloc(CHUNK * sizeof *a->host_wide_out);
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
    struct bench_arrays arrays;
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
    job.stride = options->exhaustive || check->chunks < QUICK_STRIDE ? 1 : QUICK_STRIDE;
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
    int found = 0;
    for (size_t i = 0; i < sizeof check_table / sizeof *check_table; i++) {
        struct selftest_result result = {0};
        if (!run_check(&check_table[i], options, &result, error))
            return -1;
        found += result.differing > 0;
        if (options->report)
            options->report(options->context, result.name, 1.0, &result);
    }
    return found;
}

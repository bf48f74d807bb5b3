/* maker.c: random and edge values, and the structures that many kernels share. */
#include "maker.h"
#include "kernels/number.k.h"
#include "kernels/random.k.h"
#include <stdlib.h>

uint32_t make_random(struct maker *m)
{
    return k_random(m->seed, m->stream, 0, m->drawn++);
}

long make_below(struct maker *m, long n)
{
    return (long)(make_random(m) % (uint32_t)n);
}

/* Both zeros, subnormals, the landmarks of every format with their neighbours, infinities and NaNs of all
 * kinds. */
static const uint32_t edges[] = {
    0x00000000, 0x00000001, 0x00000002,
    0x007fffff, 0x00800000, 0x00800001, /* fp32: zero, subnormals, min normal */
    0x00008000, 0x00008001, 0x00007fff,
    0x00018000, 0x007f8000, 0x007fc000, /* bf16: ties of subnormals */
    0x33000000, 0x33000001, 0x32ffffff,
    0x33800000, 0x33c00000, 0x33c00001, /* fp16: 2^-25 and what is near */
    0x387fc000, 0x387fdfff, 0x387fe000,
    0x38800000, 0x38801000, 0x38800fff, /* fp16: min normal */
    0x477fe000, 0x477fefff, 0x477ff000,
    0x47800000, 0x47000000, 0x4f000000, /* fp16: largest, 65520, 65536 */
    0x7f7f0000, 0x7f7f7fff, 0x7f7f8000,
    0x7f7fffff, 0x7f000000, 0x7e800000, /* bf16 and fp32: largest */
    0x7f800000, 0x7f800001, 0x7fbfffff,
    0x7fc00000, 0x7fc12345, 0x7fffffff, /* infinity, NaNs */
    0x3f800000, 0x3f7fffff, 0x3f800001,
    0x3f808000, 0x3f818000, 0x3f801000, /* 1 and ties near it */
    0x3f803000, 0x42b17218, 0x42b17219,
    0xc2cff1b5, 0x41100000, 0x3eb33333, /* exp, log and tanh change their way */
    0x3f3504f3, 0x3f3504f4, 0x3f490fdb,
    0x3fc90fdb, 0x40490fdb, 0x7f61b1e6, /* sqrt(1/2), multiples of pi/4 */
};

static uint32_t make_edge(struct maker *m)
{
    uint32_t bits = edges[make_below(m, (long)(sizeof edges / sizeof *edges))];
    return bits ^ (make_random(m) & 0x80000000u);
}

float make_value(struct maker *m)
{
    uint32_t word = make_random(m);
    bool edge = m->flavour == FLAVOUR_EDGE    ? (word & 1) != 0
                : m->flavour == FLAVOUR_MIXED ? (word & 63) == 0
                                              : false;
    if (edge)
        return k_float(make_edge(m));
    if (m->flavour == FLAVOUR_EDGE)
        return k_float(make_random(m));
    uint32_t exponent = (uint32_t)(127 - 30 + make_below(m, 38));
    return k_float((word & 0x807fffffu) | exponent << 23);
}

uint32_t make_encoding(struct maker *m, enum format_id format)
{
    return k_convert(make_value(m), format);
}

float make_near_tie(struct maker *m, uint32_t weight, enum format_id format)
{
    uint32_t magnitude = weight & ~k_sign_bit(format);
    uint32_t above = magnitude < k_infinity(format) ? magnitude + 1 : magnitude;
    float half = (k_decode(above, format) - k_decode(magnitude, format)) * (make_below(m, 2) ? 0.5f : 0.25f);
    uint32_t bits = k_bits(half) + (uint32_t)make_below(m, 3) - 1u;
    return k_float(bits ^ (make_random(m) & 0x80000000u));
}

void *make_buffer(struct maker *m, const void *data, long count, int size)
{
    size_t bytes = (size_t)count * (size_t)size;
    void *memory = data && m->count < CASE_BUFFERS ? device_alloc(m->device, bytes) : NULL;
    if (!memory || !device_upload(m->device, memory, data, bytes)) {
        m->failed = true;
        device_release(m->device, memory);
        return NULL;
    }
    m->buffers[m->count].memory = memory;
    m->buffers[m->count].count = count;
    m->buffers[m->count++].size = size;
    return memory;
}

void *make_array(struct maker *m, enum format_id format, long n)
{
    int size = format == FORMAT_FP32 ? 4 : 2;
    void *host = malloc((size_t)n * (size_t)size);
    for (long i = 0; host && i < n; i++)
        k_store_bits(host, i, format == FORMAT_FP32 ? k_bits(make_value(m)) : make_encoding(m, format),
                     format);
    void *memory = make_buffer(m, host, n, size);
    free(host);
    return memory;
}

float *make_floats(struct maker *m, long n)
{
    return make_array(m, FORMAT_FP32, n);
}

uint32_t *make_counters(struct maker *m, long tensors)
{
    uint32_t words[64 * COUNTER_COUNT];
    for (long i = 0; i < tensors * COUNTER_COUNT; i++)
        words[i] = make_random(m) >> 8;
    return make_buffer(m, words, tensors * COUNTER_COUNT, 4);
}

struct run_state *make_state(struct maker *m, bool found_inf)
{
    struct run_state s;
    memset(&s, 0, sizeof s);
    s.scale = make_below(m, 3) ? make_value(m) : 0x1p127f; /* the last before growth is refused */
    s.used_scale = make_value(m);
    s.inverse_scale = make_below(m, 4) == 0 ? 1.0f : make_value(m);
    s.loss_gradient = make_value(m);
    s.loss = make_value(m);
    s.found_inf = found_inf;
    s.tracker = (int32_t)make_below(m, 4);
    s.steps = make_below(m, 100000);
    s.updates = make_below(m, 1000);
    s.beta1_power = 1.0 / (double)(1 + make_below(m, 1000));
    s.beta2_power = 1.0 / (double)(1 + make_below(m, 1000));
    return make_buffer(m, &s, (long)sizeof s / 4, 4);
}

struct run_settings *make_settings(struct maker *m)
{
    struct run_settings s;
    memset(&s, 0, sizeof s);
    s.seed = make_random(m);
    s.lr = m->lr != 0 ? m->lr : make_value(m);
    s.momentum = 0.9f;
    s.beta1 = 0.9f;
    s.beta2 = 0.999f;
    s.one_minus_beta1 = 0.1f;
    s.one_minus_beta2 = 0.001f;
    s.epsilon = 1e-8f;
    s.loss_weight = make_value(m);
    s.scaler = make_below(m, 3) ? SCALER_DYNAMIC : (int32_t)make_below(m, 2);
    s.growth_interval = (int32_t)make_below(m, 4) + 1;
    s.growth = make_below(m, 2) ? 2.0 : 1.7;
    s.backoff = make_below(m, 2) ? 0.5 : 0.3;
    return make_buffer(m, &s, (long)sizeof s / 4, 4);
}

struct param_block *make_blocks(struct maker *m)
{
    static const struct param_block blocks[MAKE_BLOCKS] = {{0, 64}, {0, 64}, {0, 10}, {1, 3},
                                                           {2, 64}, {2, 64}, {2, 64}, {2, 63}};
    return make_buffer(m, blocks, MAKE_BLOCKS * 2, 4);
}

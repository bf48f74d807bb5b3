/* store.k.h: how a kernel stores a tile of results: round each to the tensor's format, and count what
 * rounding did.
 *
 * The counters are taken here, where value and encoding are both at hand, and nowhere else. */
#ifndef ULPSCOPE_KERNELS_STORE
#define ULPSCOPE_KERNELS_STORE

#include "number.k.h"

/* Adds the counts of n stored values.  Kept out of the common path: see k_store. */
K_FN void k_count(const float *values, const void *to, long first, int n, enum format_id format,
                  uint32_t *counters)
{
    uint32_t zero = 0, zero_after = 0, below_normal = 0, beyond = 0, beyond_after = 0, nan = 0;
    for (int i = 0; i < n; i++) {
        uint32_t before = k_bits(values[i]) & 0x7fffffffu;
        uint32_t after = k_load_bits(to, first + i, format) & ~k_sign_bit(format);
        zero += before == 0;
        zero_after += after == 0;
        below_normal += after < k_min_normal(format);
        beyond += before >= 0x7f800000u;
        beyond_after += after >= k_infinity(format);
        nan += after > k_infinity(format);
    }
    K_ADD(&counters[COUNTER_ZERO], zero);
    K_ADD(&counters[COUNTER_FLUSHED], zero_after - zero);
    K_ADD(&counters[COUNTER_SUBNORMAL], below_normal - zero_after);
    K_ADD(&counters[COUNTER_OVERFLOWED], beyond_after - beyond);
    K_ADD(&counters[COUNTER_NAN], nan);
}

/* Stores values[0..n-1] as elements first.. of `to`, and counts.  Tensors in good health hold normal numbers
 * only, so the smallest and the largest magnitude of the tile decide whether there is anything to count at
 * all. */
K_FN void k_store(void *to, long first, const float *values, int n, enum format_id format, uint32_t *counters)
{
    uint32_t smallest = 0xffffffffu, largest = 0;
    for (int i = 0; i < n; i++) {
        uint32_t bits = k_encode(values[i], format);
        uint32_t magnitude = bits & ~k_sign_bit(format);
        k_store_bits(to, first + i, bits, format);
        smallest = magnitude < smallest ? magnitude : smallest;
        largest = magnitude > largest ? magnitude : largest;
    }
    if (smallest < k_min_normal(format) || largest >= k_infinity(format))
        k_count(values, to, first, n, format, counters);
}

#endif

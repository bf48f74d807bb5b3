/* random.k.h: random bits keyed by what they are for: (seed, stream, step, index).
 *
 * Counter-based: a word depends on its key and index alone, never on who asks or in which order, so any
 * device and any number of threads draws the same.  A key is made once per tile with 64-bit multiplications;
 * a word then takes three rounds of 32-bit multiply and xorshift, which vectorise over the index.  Each round
 * is a bijection, so the words of one key are a permutation: none repeats before 2^32 indices. */
#ifndef ULPSCOPE_KERNELS_RANDOM
#define ULPSCOPE_KERNELS_RANDOM

#include "../compat.h"

struct k_random_key {
    uint32_t before, between, after; /* added between the rounds: two keys give unrelated permutations */
};

K_FN uint64_t k_random_mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ x >> 29) * UINT64_C(0xe95b6c1fa84d23d5);
    return x ^ x >> 32;
}

K_FN struct k_random_key k_random_key(uint64_t seed, uint32_t stream, uint64_t step)
{
    uint64_t x = k_random_mix(seed + UINT64_C(0x8f3a6d21b7c94e57));
    x = k_random_mix(x + stream + UINT64_C(0x5bd1e995c6a4a793));
    x = k_random_mix(x + step + UINT64_C(0x3c79ac492ba7b653));
    uint64_t y = k_random_mix(x + UINT64_C(0x1c69b3f74ac4ae35));
    struct k_random_key key;
    key.before = (uint32_t)x;
    key.between = (uint32_t)(x >> 32);
    key.after = (uint32_t)y;
    return key;
}

K_FN uint32_t k_random_word(struct k_random_key key, uint32_t index)
{
    uint32_t x = index + key.before;
    x = (x ^ x >> 16) * 0x9e3b48d5u + key.between;
    x = (x ^ x >> 15) * 0x6a97d2cbu + key.after;
    x = (x ^ x >> 17) * 0xb5297a4du;
    return x ^ x >> 15;
}

K_FN uint32_t k_random(uint64_t seed, uint32_t stream, uint64_t step, uint32_t index)
{
    return k_random_word(k_random_key(seed, stream, step), index);
}

#endif

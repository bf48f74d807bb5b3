/* The rounder that selftest trusts: its way through ranges and its way by the book give the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference.h"

static void check_range(const struct reference *r, uint32_t first, uint32_t n, const char *format)
{
    uint32_t got[4096];
    reference_round_range(r, first, n, got);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t want = reference_round_fp32(r, first + i);
        if (got[i] != want)
            fail_msg("%s, mode %d: 0x%08x gives 0x%x, not 0x%x", format, (int)r->mode, first + i, got[i],
                     want);
    }
}

/* Every format with a sign, both ends of every binade, across its seams, and pieces of all the rest. */
static void ranges_agree(void **state)
{
    static const char *const names[] = {"fp32", "tf32", "fp16", "bf16", "e5m2", "e4m3", "e3m2",
                                        "e2m3", "e2m1", "e5m7", "e8m1", "e2m1", "e8m23"};
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof *names; f++)
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++)
            for (int saturate = 0; saturate < 2; saturate++) {
                struct reference r =
                    reference_make(format_find(names[f]), (enum round_mode)mode, saturate != 0);
                for (uint32_t binade = 0; binade < 512; binade++) {
                    check_range(&r, (binade << 23) - 100, 200, names[f]);
                    check_range(&r, (binade << 23) + binade * 4242, 500, names[f]);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

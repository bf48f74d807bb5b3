/* fuzz_value.c: a libFuzzer target: any text as a VALUE, and everything that can be asked of what it gives.
 */
#include "exact.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct exact *x)
{
    free(exact_text_short(x, 12, false));
    if (exact_kind(x) != EXACT_FINITE)
        return;
    free(exact_text(x));
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const struct format *f = &format_table[i];
        struct exact *ulp = exact_ulp(x, f);
        exact_free(ulp);
        if (!exact_is_zero(x))
            exact_tie(x, f);
    }
    if (!exact_is_zero(x) && (exact_to_wide(x).significand >> 63) != 1)
        abort(); /* the kernels rely on it */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exact_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct exact *x = exact_parse(text, &error);
    if (x)
        ask(x);
    else if (error.column > strlen(text) || !*error.message)
        abort(); /* an error points into the text, and says something */
    exact_free(x);
    free(text);
    return 0;
}

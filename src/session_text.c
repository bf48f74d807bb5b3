/* session_text.c: small texts of a snapshot. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdlib.h>
#include <string.h>

/* One decimal, cut and not rounded: "100 %" is said only of all, "0" only of none. */
void text_share(char *to, size_t size, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        text_format(to, size, "–");
    else if (part == 0)
        text_format(to, size, "0");
    else if (part * 1000 < whole)
        text_format(to, size, "<0.1 %%");
    else if (part == whole)
        text_format(to, size, "100 %%");
    else { /* to the nearest tenth, but 100 % is for all of them */
        unsigned long long tenths = (part * 2000 + whole) / (whole * 2);
        tenths = tenths > 999 ? 999 : tenths;
        text_format(to, size, "%llu.%llu %%", tenths / 10, tenths % 10);
    }
}

void text_count(char *to, size_t size, uint64_t n)
{
    char digits[24];
    text_format(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t length = strlen(digits);
    *to = '\0';
    for (size_t i = 0; i < length; i++)
        text_append(to, size, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void text_float(char *to, size_t size, float x, int digits)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    text_bits_value(to, size, &format_table[FORMAT_FP32], bits, digits);
}

static struct exact *from_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return exact_from_bits(&format_table[FORMAT_FP32], bits);
}

void text_scale(char *to, size_t size, float x)
{
    struct exact *value = from_float(x);
    if (!value || !text_power(to, size, value))
        text_value(to, size, value, 9);
    exact_free(value);
}

void text_scale_value(char *to, size_t size, float x)
{
    char power[TEXT_SHORT], value[TEXT_SHORT];
    struct exact *exact = from_float(x);
    text_value(value, sizeof value, exact, 12);
    if (exact && text_power(power, sizeof power, exact))
        text_format(to, size, "%s = %s", value, power);
    else
        text_format(to, size, "%s", value);
    exact_free(exact);
}

/* A kernel's name without its format. */
static size_t base_length(const char *name)
{
    size_t n = strlen(name);
    for (int f = 0; f < FORMAT_STORED_COUNT; f++) {
        size_t m = strlen(format_table[f].name);
        if (n > m + 1 && name[n - m - 1] == '_' && strcmp(name + n - m, format_table[f].name) == 0)
            return n - m - 1;
    }
    return n;
}

void text_kernels(char *to, size_t size, const struct device *d, const uint64_t *before)
{
    *to = '\0';
    for (int k = 0, next; k < KERNEL_COUNT; k = next) {
        const char *name = kernel_table[k].name;
        size_t length = base_length(name);
        uint64_t launches = 0;
        for (next = k; next < KERNEL_COUNT && base_length(kernel_table[next].name) == length &&
                       strncmp(kernel_table[next].name, name, length) == 0;
             next++)
            launches += d->launches[next] - before[next];
        if (launches)
            text_append(to, size, "%s%.*s ×%llu", *to ? "  " : "", (int)length, name,
                        (unsigned long long)launches);
    }
}

/* cases.c: running a case, and comparing what two devices made of it. */
#include "maker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct make_row *find_in(const struct make_row *rows, int count, enum kernel_id kernel)
{
    for (int i = 0; i < count; i++)
        if (kernel >= rows[i].first && (int)kernel < (int)rows[i].first + rows[i].formats)
            return &rows[i];
    return NULL;
}

static const struct make_row *find_row(enum kernel_id kernel)
{
    const struct make_row *row = find_in(make_step_rows, make_step_row_count, kernel);
    if (!row)
        row = find_in(make_other_rows, make_other_row_count, kernel);
    return row ? row : find_in(make_format_rows, make_format_row_count, kernel);
}

int case_variants(enum kernel_id kernel)
{
    const struct make_row *row = find_row(kernel);
    return row ? row->variants : 0;
}

static bool download(struct maker *m, struct case_result *result)
{
    for (int i = 0; i < m->count; i++) {
        size_t bytes = (size_t)m->buffers[i].count * (size_t)m->buffers[i].size;
        result->buffers[i].bytes = malloc(bytes ? bytes : 1);
        result->buffers[i].count = m->buffers[i].count;
        result->buffers[i].size = m->buffers[i].size;
        result->count = i + 1;
        result->values += m->buffers[i].count;
        if (!result->buffers[i].bytes ||
            !device_download(m->device, result->buffers[i].bytes, m->buffers[i].memory, bytes))
            return false;
    }
    return true;
}

bool case_run(struct device *d, enum kernel_id kernel, int variant, uint64_t seed, struct case_result *result)
{
    const struct make_row *row = find_row(kernel);
    struct maker m = {
        .device = d, .seed = seed, .stream = (uint32_t)kernel << 16 | (uint32_t)variant, .variant = variant};
    memset(result, 0, sizeof *result);
    memset(&m.args, 0, sizeof m.args);
    row->make(&m, (enum format_id)(kernel - row->first));
    bool ok = !m.failed && device_launch(d, kernel, &m.args) && device_sync(d) && download(&m, result);
    for (int i = 0; i < m.count; i++)
        device_release(d, m.buffers[i].memory);
    return ok;
}

void case_free(struct case_result *result)
{
    for (int i = 0; i < result->count; i++)
        free(result->buffers[i].bytes);
    result->count = 0;
}

static unsigned long long element(const unsigned char *bytes, int size)
{
    unsigned long long value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

long case_compare(const struct case_result *a, const struct case_result *b, char *text, size_t size)
{
    long differing = a->count != b->count;
    for (int i = 0; i < a->count && i < b->count; i++)
        for (long j = 0; j < a->buffers[i].count; j++) {
            int width = a->buffers[i].size;
            const unsigned char *x = a->buffers[i].bytes + j * width, *y = b->buffers[i].bytes + j * width;
            if (memcmp(x, y, (size_t)width) == 0)
                continue;
            if (differing++ == 0)
                snprintf(text, size, "buffer %d, element %ld: 0x%0*llx and 0x%0*llx", i, j, 2 * width,
                         element(x, width), 2 * width, element(y, width));
        }
    return differing;
}

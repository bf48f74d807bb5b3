/* trainer_move.c: stepping a run, and going back: launches, recorded steps, images of a run's state. */
#include "plan.h"
#include <stdlib.h>
#include <string.h>

/* ---- where the run is ---- */

enum phase trainer_next_phase(const struct trainer *t)
{
    return t->launches[t->next].phase;
}

int trainer_next_launch(const struct trainer *t)
{
    return t->next;
}

int trainer_launch_count(const struct trainer *t)
{
    return t->launch_count;
}

enum phase trainer_launch_phase(const struct trainer *t, int launch)
{
    return t->launches[launch].phase;
}

const char *trainer_launch_text(const struct trainer *t, int launch)
{
    return t->launches[launch].what;
}

/* ---- stepping ---- */

bool trainer_launch(struct trainer *t)
{
    struct launch *l = &t->launches[t->next];
    if (!device_launch(t->device, l->kernel, &l->args))
        return false;
    if (++t->next == t->launch_count) {
        t->next = 0;
        t->steps++;
    }
    return true;
}

/* Records the launches of a step without running them.  False where that cannot be done: they are launched
 * one by one then. */
static bool record(struct trainer *t)
{
    if (t->graph || t->no_graph)
        return t->graph != NULL;
    uint64_t before[KERNEL_COUNT];
    memcpy(before, t->device->launches, sizeof before);
    bool ok = device_record(t->device);
    for (int i = 0; ok && i < t->launch_count; i++)
        ok = device_launch(t->device, t->launches[i].kernel, &t->launches[i].args);
    t->graph = device_recorded(t->device);
    if (!ok && t->graph)
        trainer_forget_graph(t);
    t->no_graph = t->graph == NULL;
    memcpy(t->device->launches, before, sizeof before);
    return t->graph != NULL;
}

void trainer_forget_graph(struct trainer *t)
{
    if (t->graph)
        device_forget(t->device, t->graph);
    t->graph = NULL;
}

/* A whole step as one replay; false where it was not made. */
static bool replay(struct trainer *t, bool *ok)
{
    if (t->next != 0 || !record(t))
        return false;
    *ok = device_replay(t->device, t->graph);
    for (int i = 0; *ok && i < t->launch_count; i++)
        t->device->launches[t->launches[i].kernel]++;
    t->steps += *ok;
    return true;
}

bool trainer_step(struct trainer *t)
{
    bool ok = true;
    if (replay(t, &ok))
        return ok;
    do
        ok = trainer_launch(t);
    while (ok && t->next != 0);
    return ok;
}

bool trainer_phase(struct trainer *t)
{
    enum phase p = trainer_next_phase(t);
    bool ok;
    do
        ok = trainer_launch(t);
    while (ok && t->next != 0 && trainer_next_phase(t) == p);
    return ok;
}

/* ---- images ---- */

void trainer_image_read(const struct trainer *t, const struct trainer_image *image, struct run_state *state,
                        struct trainer_counts *counts)
{
    memcpy(state, image->data + ((const char *)t->state - t->slab), sizeof *state);
    memcpy(counts, image->data + ((const char *)t->counters - t->slab),
           (size_t)t->tensor_count * sizeof *counts);
}

/* Not in the slab, and made anew by every step. */
static bool is_made(const struct trainer *t, const struct tensor *x)
{
    return x->role == TENSOR_ACTIVATION || x->role == TENSOR_ACTIVATION_GRADIENT ||
           (x->role == TENSOR_DATA && x->data != t->points);
}

struct trainer_image *trainer_save(struct trainer *t)
{
    size_t bytes = sizeof(struct trainer_image) + t->slab_used;
    struct trainer_image *image = t->next == 0 ? malloc(bytes) : NULL;
    if (!image)
        return NULL;
    image->bytes = bytes;
    image->steps = t->steps;
    image->lr = t->config.lr;
    image->settings = t->settings;
    image->count = t->slab_used;
    if (device_download(t->device, image->data, t->slab, t->slab_used))
        return image;
    free(image);
    return NULL;
}

static bool clear_activations(struct trainer *t)
{
    for (int i = 0; i < t->tensor_count; i++) {
        const struct tensor *x = &t->tensors[i];
        if (!is_made(t, x))
            continue;
        size_t bytes = (size_t)(x->rows * x->cols) * (x->format == FORMAT_FP32 ? 4 : 2);
        void *zeros = calloc(1, bytes);
        bool ok = zeros && device_upload(t->device, x->data, zeros, bytes);
        free(zeros);
        if (!ok)
            return false;
    }
    return true;
}

bool trainer_restore(struct trainer *t, const struct trainer_image *image)
{
    if (image->count != t->slab_used || !device_upload(t->device, t->slab, image->data, image->count))
        return false;
    t->next = 0;
    t->steps = image->steps;
    t->config.lr = image->lr;
    t->settings = image->settings;
    return image->steps > 0 || clear_activations(t);
}

long trainer_image_offset(const struct trainer *t, const struct tensor *tensor, long index)
{
    if (tensor->param == TENSOR_NONE)
        return -1;
    return (long)((const char *)tensor->data - t->slab) + index * (tensor->format == FORMAT_FP32 ? 4 : 2);
}

bool trainer_write(struct trainer *t, const struct tensor *tensor, long index, uint32_t bits)
{
    bool wide = tensor->format == FORMAT_FP32;
    uint16_t narrow = (uint16_t)bits;
    return device_upload(t->device, (char *)tensor->data + index * (wide ? 4 : 2),
                         wide ? (const void *)&bits : (const void *)&narrow, wide ? 4 : 2);
}

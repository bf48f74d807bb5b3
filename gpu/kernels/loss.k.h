/* loss.k.h: losses, in FP32 under every recipe (as the loss functions of autocast's FP32 list are). */
#ifndef ULPSCOPE_KERNELS_LOSS
#define ULPSCOPE_KERNELS_LOSS

#include "math.k.h"
#include "store.k.h"

/* Softmax cross-entropy of K_ROWS rows.  The largest logit is taken off first, so exp cannot overflow. */
K_FN void softmax_forward_body(const struct loss_args *a, long tile)
{
    long row = tile * K_ROWS, cols = a->cols;
    int rows = k_part(a->rows, row, K_ROWS);
    float largest[K_ROWS], sum[K_ROWS], loss[K_ROWS];
    const float *x = a->output + row * cols;
    float *p = a->work + row * cols;
    K_LANES (r, rows) {
        largest[r] = x[r * cols];
        sum[r] = 0.0f;
    }
    for (long c = 1; c < cols; c++)
        K_LANES (r, rows)
            largest[r] = x[r * cols + c] > largest[r] ? x[r * cols + c] : largest[r];
    for (long c = 0; c < cols; c++)
        K_LANES (r, rows) {
            p[r * cols + c] = k_exp(x[r * cols + c] - largest[r]);
            sum[r] += p[r * cols + c];
        }
    for (long c = 0; c < cols; c++)
        K_LANES (r, rows)
            p[r * cols + c] /= sum[r];
    K_LANES (r, rows)
        loss[r] = k_log(sum[r]) - (x[r * cols + a->labels[row + r]] - largest[r]);
    K_LANES (r, rows)
        a->row_loss[row + r] = k_canonical(loss[r]);
    for (int r = 0; r < rows; r++)
        k_store(a->work, (row + r) * cols, p + r * cols, (int)cols, FORMAT_FP32, a->counters);
}

/* (p - onehot(label)) x d(scaled loss)/d(row loss) */
K_FN void softmax_backward_body(const struct loss_args *a, long tile)
{
    long first = tile * K_FLAT;
    int n = k_part(a->rows * a->cols, first, K_FLAT);
    float gradient[K_FLAT];
    float factor = a->state->loss_gradient;
    for (int i = 0; i < n; i++) {
        long row = (first + i) / a->cols, col = (first + i) % a->cols;
        float target = a->labels[row] == col ? 1.0f : 0.0f;
        gradient[i] = (a->work[first + i] - target) * factor;
    }
    k_store(a->gradient, first, gradient, n, FORMAT_FP32, a->counters);
}

/* Squared error, summed over a row's outputs by ascending column. */
K_FN void mse_forward_body(const struct loss_args *a, long tile)
{
    long row = tile * K_ROWS;
    int rows = k_part(a->rows, row, K_ROWS);
    for (int r = 0; r < rows; r++) {
        float loss = 0.0f;
        for (long i = (row + r) * a->cols; i < (row + r + 1) * a->cols; i++) {
            float difference = a->output[i] - a->targets[i];
            loss += difference * difference;
            k_store(a->work, i, &difference, 1, FORMAT_FP32, a->counters);
        }
        a->row_loss[row + r] = k_canonical(loss);
    }
}

K_FN void mse_backward_body(const struct loss_args *a, long tile)
{
    long first = tile * K_FLAT;
    int n = k_part(a->rows * a->cols, first, K_FLAT);
    float gradient[K_FLAT];
    float factor = a->state->loss_gradient;
    K_LANES (i, n)
        gradient[i] = 2.0f * a->work[first + i] * factor;
    k_store(a->gradient, first, gradient, n, FORMAT_FP32, a->counters);
}

/* The mean over all rows: LOSS_PARTS interleaved sums, then their sum, in this order on every device. */
enum { LOSS_PARTS = 32 };

K_FN void loss_mean_body(const struct loss_mean_args *a)
{
    float part[LOSS_PARTS];
    float sum = 0.0f;
    for (int i = 0; i < LOSS_PARTS; i++)
        part[i] = 0.0f;
    for (long row = 0; row < a->rows; row += LOSS_PARTS) {
        int n = k_part(a->rows, row, LOSS_PARTS);
        K_LANES (i, n)
            part[i] += a->row_loss[row + i];
    }
    for (int i = 0; i < LOSS_PARTS; i++)
        sum += part[i];
    a->state->loss = k_canonical(sum / (float)a->terms);
}

K_DEFINE(softmax_forward, loss_args, k_tile_count(a->rows, K_ROWS), softmax_forward_body(a, tile))
K_DEFINE(softmax_backward, loss_args, k_tile_count(a->rows * a->cols, K_FLAT), softmax_backward_body(a, tile))
K_DEFINE(mse_forward, loss_args, k_tile_count(a->rows, K_ROWS), mse_forward_body(a, tile))
K_DEFINE(mse_backward, loss_args, k_tile_count(a->rows * a->cols, K_FLAT), mse_backward_body(a, tile))
K_DEFINE(loss_mean, loss_mean_args, 1, loss_mean_body(a))

#endif

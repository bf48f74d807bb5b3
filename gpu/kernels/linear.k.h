/* linear.k.h: the matrix products of a linear layer, forward and backward.
 *
 * Each output is one sum by fmaf in FP32, over ascending k, rounded once to the output's format: what tensor
 * cores do, up to their order of summation.  Operands are staged as FP32, K_DEPTH terms at a time; a block of
 * K_BLOCK rows by K_WIDTH columns keeps its sums in registers meanwhile.  No sum is ever split, so tile sizes
 * decide no bit. */
#ifndef ULPSCOPE_KERNELS_LINEAR
#define ULPSCOPE_KERNELS_LINEAR

#include "store.k.h"

enum { K_VECTORS = K_WIDTH / K_NARROW };

/* One tile's operands and sums: sum[r][c] = a(r, 0) * b[0][c] + a(r, 1) * b[1][c] + ... */
struct k_product {
    float sum[K_ROWS * K_WIDTH];
    float a[K_ROWS * K_DEPTH];
    float b[K_DEPTH * K_WIDTH];
    int rows, cols;            /* of this tile */
    long row_step, depth_step; /* a(r, k) = a[r * row_step + k * depth_step] */
};

K_FN void k_product_start(struct k_product *p, int rows, int cols)
{
    p->rows = rows;
    p->cols = cols;
    if (cols < K_WIDTH) /* columns beyond the matrix stay zero */
        K_LANES (i, K_DEPTH * K_WIDTH)
            p->b[i] = 0.0f;
}

/* n contiguous elements as FP32. */
K_FN void k_stage(float *to, const void *from, long first, int n, enum format_id format)
{
    K_LANES (i, n)
        to[i] = k_load(from, first + i, format);
}

/* Columns k..k+depth-1 of the tile's rows of a row-major matrix with `stride` columns, as a. */
K_FN void k_stage_rows(struct k_product *p, const void *from, long row, long k, int depth, long stride,
                       enum format_id format)
{
    p->row_step = depth;
    p->depth_step = 1;
    if (depth == stride)
        k_stage(p->a, from, row * stride, p->rows * depth, format);
    else
        for (int r = 0; r < p->rows; r++)
            k_stage(p->a + r * depth, from, (row + r) * stride + k, depth, format);
}

/* Rows k..k+depth-1, columns `column`.. of a row-major matrix with `stride` columns, as b. */
K_FN void k_stage_b(struct k_product *p, const void *from, long k, int depth, long column, long stride,
                    enum format_id format)
{
    if (stride == K_WIDTH)
        k_stage(p->b, from, k * stride, depth * K_WIDTH, format);
    else
        for (int i = 0; i < depth; i++)
            k_stage(p->b + i * K_WIDTH, from, (k + i) * stride + column, p->cols, format);
}

/* The sums of `rows` rows by `vectors` registers from row r on; rows, vectors and first are constants. */
K_FN void k_product_block(struct k_product *p, int r, int rows, int vectors, int depth, bool first)
{
    k_vector sum[K_BLOCK][K_VECTORS];
    const float *a = p->a + r * p->row_step;
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            sum[i][v] = first ? k_vector_zero() : k_vector_load(p->sum + (r + i) * K_WIDTH + v * K_NARROW);
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < rows; i++)
            for (int v = 0; v < vectors; v++) {
                k_vector b = k_vector_load(p->b + k * K_WIDTH + v * K_NARROW);
                sum[i][v] = k_vector_fma(a[i * p->row_step + k * p->depth_step], b, sum[i][v]);
            }
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            k_vector_store(p->sum + (r + i) * K_WIDTH + v * K_NARROW, sum[i][v]);
}

K_FN void k_product_rows(struct k_product *p, int vectors, int depth, bool first)
{
    int blocks = p->rows / K_BLOCK;
    for (int i = 0; i < blocks; i++)
        k_product_block(p, i * K_BLOCK, K_BLOCK, vectors, depth, first);
    for (int r = blocks * K_BLOCK; r < p->rows; r++)
        k_product_block(p, r, 1, vectors, depth, first);
}

/* Adds `depth` terms to every sum; the first call starts them.  Narrow matrices use one register a row. */
K_FN void k_product_add(struct k_product *p, int depth, bool first)
{
    if (first && p->cols > K_NARROW)
        k_product_rows(p, K_VECTORS, depth, true);
    else if (first)
        k_product_rows(p, 1, depth, true);
    else if (p->cols > K_NARROW)
        k_product_rows(p, K_VECTORS, depth, false);
    else
        k_product_rows(p, 1, depth, false);
}

/* Stores the tile at (row, column) of a matrix with `stride` columns. */
K_FN void k_product_store(struct k_product *p, void *to, long row, long column, long stride,
                          enum format_id format, uint32_t *counters)
{
    if (p->cols < stride) { /* part of wider rows */
        for (int r = 0; r < p->rows; r++)
            k_store(to, (row + r) * stride + column, p->sum + r * K_WIDTH, p->cols, format, counters);
        return;
    }
    for (int r = 1; p->cols < K_WIDTH && r < p->rows; r++) /* close the gaps between narrow rows */
        for (int c = 0; c < p->cols; c++)
            p->sum[r * p->cols + c] = p->sum[r * K_WIDTH + c];
    k_store(to, row * stride, p->sum, p->rows * p->cols, format, counters);
}

K_FN void linear_forward(const struct linear_args *a, long tile, enum format_id format)
{
    long columns = k_tile_count(a->out, K_WIDTH);
    long row = tile / columns * K_ROWS, column = tile % columns * K_WIDTH;
    struct k_product p;
    k_product_start(&p, k_part(a->rows, row, K_ROWS), k_part(a->out, column, K_WIDTH));
    for (long k = 0; k < a->in; k += K_DEPTH) {
        int depth = k_part(a->in, k, K_DEPTH);
        k_stage_rows(&p, a->x, row, k, depth, a->in, format);
        k_stage_b(&p, a->w, k, depth, column, a->out, format);
        k_product_add(&p, depth, k == 0);
    }
    float bias[K_WIDTH];
    K_LANES (c, K_WIDTH)
        bias[c] = 0.0f;
    k_stage(bias, a->b, column, p.cols, format);
    for (int r = 0; r < p.rows; r++)
        K_LANES (c, K_WIDTH)
            p.sum[r * K_WIDTH + c] += bias[c];
    k_product_store(&p, a->y, row, column, a->out, format, a->counters);
}

K_FN void linear_backward_input(const struct linear_backward_input_args *a, long tile, enum format_id format)
{
    long columns = k_tile_count(a->in, K_WIDTH);
    long row = tile / columns * K_ROWS, column = tile % columns * K_WIDTH;
    struct k_product p;
    k_product_start(&p, k_part(a->rows, row, K_ROWS), k_part(a->in, column, K_WIDTH));
    for (long k = 0; k < a->out; k += K_DEPTH) {
        int depth = k_part(a->out, k, K_DEPTH);
        k_stage_rows(&p, a->dy, row, k, depth, a->out, format);
        for (int c = 0; c < p.cols; c++) /* w transposed */
            for (int i = 0; i < depth; i++)
                p.b[i * K_WIDTH + c] = k_load(a->w, (column + c) * a->out + k + i, format);
        k_product_add(&p, depth, k == 0);
    }
    k_product_store(&p, a->dx, row, column, a->in, format, a->counters);
}

/* A tile of rows of dw, or, after all of them, db: a bias is a weight whose input is 1. */
K_FN void linear_backward_weight(const struct linear_backward_weight_args *a, long tile,
                                 enum format_id format)
{
    long columns = k_tile_count(a->out, K_WIDTH);
    long row = tile / columns * K_ROWS, column = tile % columns * K_WIDTH;
    bool is_bias = row >= a->in;
    struct k_product p;
    k_product_start(&p, is_bias ? 1 : k_part(a->in, row, K_ROWS), k_part(a->out, column, K_WIDTH));
    for (long k = 0; k < a->rows; k += K_DEPTH) {
        int depth = k_part(a->rows, k, K_DEPTH);
        p.row_step = 1;
        p.depth_step = p.rows;
        if (is_bias)
            K_LANES (i, depth)
                p.a[i] = 1.0f;
        else if (p.rows == a->in)
            k_stage(p.a, a->x, k * a->in, depth * p.rows, format);
        else
            for (int i = 0; i < depth; i++)
                k_stage(p.a + i * p.rows, a->x, (k + i) * a->in + row, p.rows, format);
        k_stage_b(&p, a->dy, k, depth, column, a->out, format);
        k_product_add(&p, depth, k == 0);
    }
    if (is_bias)
        k_product_store(&p, a->db, 0, column, a->out, format, a->bias_counters);
    else
        k_product_store(&p, a->dw, row, column, a->out, format, a->weight_counters);
}

K_EACH_FORMAT(linear_forward, linear_args, k_tile_count(a->rows, K_ROWS) * k_tile_count(a->out, K_WIDTH))
K_EACH_FORMAT(linear_backward_input, linear_backward_input_args,
              k_tile_count(a->rows, K_ROWS) * k_tile_count(a->in, K_WIDTH))
K_EACH_FORMAT(linear_backward_weight, linear_backward_weight_args,
              (k_tile_count(a->in, K_ROWS) + 1) * k_tile_count(a->out, K_WIDTH))

#endif

/* cpu_threads.c: a small pool that splits the tiles of one launch among threads. */
#include "cpu.h"
#include <pthread.h>
#include <stdlib.h>

struct worker {
    struct cpu_threads *pool;
    int index; /* 1.. ; the launching thread is 0 */
    pthread_t thread;
};

struct cpu_threads {
    int count; /* threads including the one that launches */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    unsigned long round; /* grows with each launch */
    int busy;
    int stop;
    const struct cpu_kernel *kernel;
    const void *args;
    long tiles;
    struct worker workers[];
};

static void run_share(const struct cpu_threads *pool, int index)
{
    long begin = pool->tiles * index / pool->count;
    long end = pool->tiles * (index + 1) / pool->count;
    if (begin < end)
        pool->kernel->run(pool->args, begin, end);
}

static void *work(void *data)
{
    struct worker *self = data;
    struct cpu_threads *pool = self->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->stop)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        run_share(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct cpu_threads *cpu_threads_start(int count)
{
    struct cpu_threads *pool = calloc(1, sizeof *pool + (size_t)count * sizeof *pool->workers);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->count = 1;
    while (pool->count < count) {
        struct worker *w = &pool->workers[pool->count - 1];
        w->pool = pool;
        w->index = pool->count;
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            cpu_threads_stop(pool);
            return NULL;
        }
        pool->count++;
    }
    return pool;
}

void cpu_threads_stop(struct cpu_threads *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->count - 1; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void cpu_threads_run(struct cpu_threads *pool, const struct cpu_kernel *kernel, const void *args, long tiles)
{
    pthread_mutex_lock(&pool->lock);
    pool->kernel = kernel;
    pool->args = args;
    pool->tiles = tiles;
    pool->busy = pool->count - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    run_share(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

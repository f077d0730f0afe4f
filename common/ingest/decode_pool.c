/* SPDX-License-Identifier: MIT */
/* The decode workers, and the runs of buffers that they and the owner decode in order. */
#include "common/ingest/decode_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/invariant.h"
#include "common/base/system/thread.h"
#include "common/format/mlpd/batch_fit.h"
#include "common/calls/summariser.h"

/* Enough to keep workers busy while the owner applies. */
enum {
	RUNS = 6,
	MAX_WORKERS = 16,
	RUN_BYTES = 1 << 21,
	KEPT_BYTES = 64 << 10,  /* of an array: few need more, but in time each would grow so */
	KEPT_FIRST = 512 << 10, /* of an array in a run's first FIRST batches */
	FIRST = 2,
	KEPT_SUMS = 1024,
	MANY_SUMS = 65536,
	FIRST_RUN = 8
};

enum run_state { RUN_OPEN, RUN_QUEUED, RUN_BUSY, RUN_READY };

/* Size and yield of a run, for the run RUNS places after it. */
struct past {
	size_t limit;   /* buffers with an acceptable number of sums */
	size_t n, sums; /* buffers of the run, and entries of their batches */
};

struct run {
	struct pv_decode_task task[PV_DECODE_RUN];
	size_t n, taken;
	size_t begun;                 /* tasks of runs given by pv_decode_pool_run() */
	size_t bytes;                 /* of payloads */
	struct past *past;            /* figures of this run */
	bool anew;                    /* other calls may have come before this run */
	uint32_t lost;                /* the same with lost paths: the pool's count at the time */
	_Atomic enum run_state state; /* open: ingest thread only */
	uint32_t number;
	uint64_t order; /* among all runs, from 1 on */
};

struct pv_decode_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	struct run run[RUNS];
	struct past past[RUNS];
	size_t first, count; /* runs in use, in order; the last one may be open */
	size_t runs;         /* in use at most */
	uint32_t number, lost;
	uint64_t begun, decoded; /* runs */
	bool stop, give_way;
	bool anew; /* the next run */
	struct pv_summariser *summariser;
	bool busy;          /* has a run */
	uint32_t forgotten; /* value of `lost` when paths were last forgotten */
	unsigned workers;
	pthread_t worker[MAX_WORKERS];
};

/*
 * Entries of a batch for the limit: calls, by their number when not summed up. Plain events, of 64
 * bytes and never summed up, count as eight, so that a run of them is applied while still in the
 * cache.
 */
static size_t entries(const struct pv_batch *b)
{
	size_t calls = b->summary.resting ? b->n : b->summary.sum.n + b->summary.path.n;
	return calls + 8 * b->plain_events.n;
}

static void summarise(struct pv_decode_pool *p, struct run *r)
{
	for (size_t at = 0, n; at < r->n; at += n) {
		n = pv_summarise_run(p->summariser, &r->task[at], r->n - at);
		for (size_t i = at; i < at + n; i++)
			r->task[i].batch.summary.run = r->number + (uint32_t)at;
	}
}

static bool is_single(const struct run *r)
{
	return r->n == 1 && (r->task[0].decoded || r->task[0].partial);
}

static void decode(struct pv_decode_pool *p, struct run *r)
{
	r->past->n = r->n;
	r->past->sums = 0;
	if (r->anew || r->lost != p->forgotten)
		pv_summariser_forget(p->summariser, r->lost != p->forgotten);
	p->forgotten = r->lost;
	if (is_single(r))
		pv_summarise_single(p->summariser, &r->task[0]);
	else
		summarise(p, r);
	for (size_t i = 0; i < r->n && !is_single(r); i++)
		r->past->sums += entries(&r->task[i].batch);
}

/* The `i`th run in use, or the next free one. */
static struct run *nth_run(struct pv_decode_pool *p, size_t i)
{
	return &p->run[(p->first + i) % p->runs];
}

/*
 * The run to decode next, NULL: none, as runs are summed up one after another. With the lock held.
 */
static struct run *next_queued(struct pv_decode_pool *p)
{
	for (size_t i = 0; i < p->count && !p->busy; i++)
		if (nth_run(p, i)->state == RUN_QUEUED)
			return nth_run(p, i);
	return NULL;
}

/* Called with the lock held; releases the lock meanwhile. One run at a time, in the log's order. */
static void decode_unlocked(struct pv_decode_pool *p, struct run *r)
{
	PV_INVARIANT(!p->busy && r->order == p->decoded + 1);
	p->decoded = r->order;
	r->state = RUN_BUSY;
	p->busy = true;
	pthread_mutex_unlock(&p->lock);
	decode(p, r);
	pthread_mutex_lock(&p->lock);
	p->busy = false;
	r->state = RUN_READY;
	if (next_queued(p))
		pthread_cond_signal(&p->work);
}

static void *worker(void *arg)
{
	struct pv_decode_pool *p = arg;
	if (p->give_way)
		pv_thread_give_way();
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct run *r = next_queued(p);
		if (!r) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		decode_unlocked(p, r);
		pthread_cond_signal(&p->ready);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool start_worker(struct pv_decode_pool *p)
{
	bool ok = pv_thread_start(&p->worker[p->workers], worker, p);
	p->workers += ok;
	return ok;
}

struct pv_decode_pool *pv_decode_pool_create(unsigned workers, bool give_way)
{
	struct pv_decode_pool *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->give_way = give_way;
	p->runs = workers == 0 ? 1 : RUNS; /* without workers nothing is decoded ahead */
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->ready, NULL);
	p->summariser = pv_summariser_create(NULL);
	bool ok = p->summariser != NULL;
	for (unsigned i = 0; ok && i < workers && i < MAX_WORKERS; i++)
		ok = start_worker(p);
	if (!ok)
		pv_decode_pool_destroy(p);
	return ok ? p : NULL;
}

void pv_decode_pool_destroy(struct pv_decode_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->workers; i++)
		pthread_join(p->worker[i], NULL);
	pv_summariser_destroy(p->summariser);
	for (size_t i = 0; i < RUNS; i++)
		for (size_t k = 0; k < PV_DECODE_RUN; k++)
			pv_batch_finish(&p->run[i].task[k].batch);
	pthread_cond_destroy(&p->ready);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/*
 * The run to which buffers are added, NULL when there is none. Only the owner opens and closes a
 * run.
 */
static struct run *open_run(struct pv_decode_pool *p)
{
	struct run *r = p->count ? nth_run(p, p->count - 1) : NULL;
	return r && r->state == RUN_OPEN ? r : NULL;
}

void pv_decode_pool_forget(struct pv_decode_pool *p, bool paths)
{
	struct run *r = open_run(p);
	*(r ? &r->anew : &p->anew) = true;
	p->lost += paths;
	if (r)
		r->lost = p->lost;
}

void pv_decode_pool_resume(struct pv_decode_pool *p)
{
	pv_summariser_unsure(p->summariser);
}

void pv_decode_pool_cut(struct pv_decode_pool *p)
{
	struct run *r = open_run(p);
	if (!r || r->n == 0)
		return;
	pthread_mutex_lock(&p->lock);
	r->state = RUN_QUEUED;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

/*
 * If every call is a new path, trees of many buffers would take more memory than they save. The
 * figures of the run RUNS places before decide: the same run with any number of workers.
 */
static void set_limit(struct past *p)
{
	if (p->limit == 0)
		p->limit = FIRST_RUN;
	else if (p->sums > MANY_SUMS)
		p->limit = p->n > 4 ? p->n / 4 : 1;
	else if (p->sums < MANY_SUMS / 2 && p->limit < PV_DECODE_RUN)
		p->limit *= 2;
}

static struct run *begin_run(struct pv_decode_pool *p)
{
	if (p->count == p->runs)
		return NULL;
	pthread_mutex_lock(&p->lock);
	struct run *r = nth_run(p, p->count);
	r->state = RUN_OPEN;
	r->n = r->taken = r->begun = r->bytes = 0;
	r->anew = p->anew;
	r->lost = p->lost;
	r->order = ++p->begun;
	r->past = &p->past[r->order % RUNS];
	set_limit(r->past);
	p->anew = false;
	p->number += PV_DECODE_RUN; /* a number for each batch */
	r->number = p->number ? p->number : (p->number += PV_DECODE_RUN);
	p->count++;
	pthread_mutex_unlock(&p->lock);
	return r;
}

struct pv_decode_task *pv_decode_pool_room(struct pv_decode_pool *p)
{
	struct run *r = open_run(p);
	if (!r)
		r = begin_run(p);
	if (!r)
		return NULL;
	struct pv_decode_task *t = &r->task[r->n];
	pv_batch_reset(&t->batch);
	t->partial = t->decoded = t->nomem = false;
	t->used = 0;
	return t;
}

void pv_decode_pool_submit(struct pv_decode_pool *p)
{
	struct run *r = open_run(p);
	const struct pv_decode_task *t = &r->task[r->n++];
	PV_INVARIANT(r->n == 1 || t->batch.offset > t[-1].batch.offset);
	r->bytes += t->batch.bytes.n;
	if (r->n >= PV_DECODE_RUN || r->n >= r->past->limit || r->bytes >= RUN_BYTES || t->decoded)
		pv_decode_pool_cut(p);
}

/* Decodes the run here unless a worker has begun on it. With the lock held. */
static void finish_run(struct pv_decode_pool *p, struct run *r)
{
	while (r->state != RUN_READY) {
		struct run *other = next_queued(p);
		if (other)
			decode_unlocked(p, other);
		else
			pthread_cond_wait(&p->ready, &p->lock);
	}
}

struct pv_decode_task *pv_decode_pool_take(struct pv_decode_pool *p)
{
	struct run *r = &p->run[p->first];
	if (p->count && r->state == RUN_OPEN)
		pv_decode_pool_cut(p);
	if (p->count == 0 || r->state == RUN_OPEN) /* no buffer yet */
		return NULL;
	pthread_mutex_lock(&p->lock);
	finish_run(p, r);
	pthread_mutex_unlock(&p->lock);
	return &r->task[r->taken];
}

/* The first batch of a run has most of its sums; the other batches' memory is freed. */
static void trim_sums(struct pv_call_summary *d)
{
	if (d->sum.room > KEPT_SUMS)
		pv_array_finish(&d->sum);
	if (d->path.room > KEPT_SUMS)
		pv_array_finish(&d->path);
}

void pv_decode_pool_done(struct pv_decode_pool *p)
{
	struct run *r = &p->run[p->first];
	pv_batch_give_back(&r->task[r->taken].batch);
	pv_batch_trim(&r->task[r->taken].batch, r->taken < FIRST ? KEPT_FIRST : KEPT_BYTES);
	if (r->taken > 0)
		trim_sums(&r->task[r->taken].batch.summary);
	if (++r->taken < r->n)
		return;
	pthread_mutex_lock(&p->lock);
	p->first = (p->first + 1) % p->runs;
	p->count--;
	pthread_mutex_unlock(&p->lock);
}

size_t pv_decode_pool_run(struct pv_decode_pool *p, struct pv_decode_task **ret_first)
{
	struct run *r = &p->run[p->first];
	struct pv_decode_task *t = &r->task[r->taken];
	size_t n = t->batch.summary.run_n;
	*ret_first = t;
	if (r->taken < r->begun) /* an expanded batch has no summary any more */
		return 0;
	n = n > 1 ? n : 1;
	r->begun = r->taken + n;
	return n;
}

#include "common/ingest/decode_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "common/base/thread.h"

/* Enough to keep workers busy while the owner applies; each slot holds one decoded buffer. */
enum { SLOTS = 8, MAX_WORKERS = 16 };

enum slot_state { SLOT_EMPTY, SLOT_QUEUED, SLOT_BUSY, SLOT_READY };

struct slot {
	struct pv_decode_task task;
	enum slot_state state;
};

struct pv_decode_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	struct slot slot[SLOTS];
	size_t first, count; /* slots in use, in order */
	bool stop, give_way;
	unsigned workers;
	pthread_t thread[MAX_WORKERS];
};

static void decode(struct pv_decode_task *t)
{
	if (!t->decoded)
		t->nomem = !mlpd_decode_batch(&t->batch, &t->bases, &t->format, t->partial,
			&t->used);
}

/* The oldest queued slot, NULL when there is none. With the lock held. */
static struct slot *next_queued(struct pv_decode_pool *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct slot *s = &p->slot[(p->first + i) % SLOTS];
		if (s->state == SLOT_QUEUED)
			return s;
	}
	return NULL;
}

static void *worker(void *arg)
{
	struct pv_decode_pool *p = arg;
	if (p->give_way)
		pv_thread_give_way();
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct slot *s = next_queued(p);
		if (!s) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		s->state = SLOT_BUSY;
		pthread_mutex_unlock(&p->lock);
		decode(&s->task);
		pthread_mutex_lock(&p->lock);
		s->state = SLOT_READY;
		pthread_cond_signal(&p->ready);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Signals belong to the screen's thread: a worker must not take them. */
static bool start_worker(struct pv_decode_pool *p)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&p->thread[p->workers], NULL, worker, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->workers += !failed;
	return !failed;
}

struct pv_decode_pool *pv_decode_pool_create(unsigned workers, bool give_way)
{
	struct pv_decode_pool *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->give_way = give_way;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->ready, NULL);
	for (unsigned i = 0; i < workers && i < MAX_WORKERS; i++) {
		if (!start_worker(p)) {
			pv_decode_pool_destroy(p);
			return NULL;
		}
	}
	return p;
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
		pthread_join(p->thread[i], NULL);
	for (size_t i = 0; i < SLOTS; i++)
		pv_batch_finish(&p->slot[i].task.batch);
	pthread_cond_destroy(&p->ready);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

struct pv_decode_task *pv_decode_pool_room(struct pv_decode_pool *p)
{
	/* Only the owner changes first and count: reading them needs no lock here. */
	if (p->count == SLOTS)
		return NULL;
	struct pv_decode_task *t = &p->slot[(p->first + p->count) % SLOTS].task;
	pv_batch_reset(&t->batch);
	t->partial = t->decoded = t->nomem = false;
	t->used = 0;
	return t;
}

void pv_decode_pool_submit(struct pv_decode_pool *p)
{
	pthread_mutex_lock(&p->lock);
	struct slot *s = &p->slot[(p->first + p->count) % SLOTS];
	s->state = s->task.decoded ? SLOT_READY : SLOT_QUEUED;
	p->count++;
	if (s->state == SLOT_QUEUED)
		pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

struct pv_decode_task *pv_decode_pool_take(struct pv_decode_pool *p)
{
	if (p->count == 0)
		return NULL;
	pthread_mutex_lock(&p->lock);
	struct slot *s = &p->slot[p->first];
	if (s->state == SLOT_QUEUED) {
		s->state = SLOT_BUSY;
		pthread_mutex_unlock(&p->lock);
		decode(&s->task);
		pthread_mutex_lock(&p->lock);
		s->state = SLOT_READY;
	}
	while (s->state != SLOT_READY)
		pthread_cond_wait(&p->ready, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return &s->task;
}

void pv_decode_pool_done(struct pv_decode_pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->slot[p->first].state = SLOT_EMPTY;
	p->first = (p->first + 1) % SLOTS;
	p->count--;
	pthread_mutex_unlock(&p->lock);
}

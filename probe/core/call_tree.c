/* SPDX-License-Identifier: MIT */
/* The call tree of a thread: memory, time, and the slow way of enter and leave. */
#include "probe/core/call_tree_hot.h"

#include <sys/mman.h>
#include <sys/resource.h>

static struct {
	_Atomic size_t left; /* slabs */
	_Atomic bool cpu;
} use;

void pvp_tree_use(bool on, bool cpu, size_t most_bytes)
{
	atomic_store(&use.left, on ? most_bytes / sizeof(struct pvp_tree_slab) : 0);
	atomic_store(&use.cpu, cpu);
}

#define GET PVP_TREE_GET
#define SET PVP_TREE_SET
#define ADD PVP_TREE_ADD

/* --- memory */

static bool take_slab(void)
{
	size_t left = GET(use.left);
	while (left && !atomic_compare_exchange_weak(&use.left, &left, left - 1))
		;
	return left;
}

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static struct pvp_tree *create_tree(void)
{
	struct pvp_tree *t = take_slab() ? map(sizeof *t) : NULL;
	if (!t)
		return NULL;
	t->last = &t->first;
	SET(t->first.n, 1);
	atomic_store_explicit(&t->top, &t->first.node[0], memory_order_release);
	return t;
}

void pvp_tree_destroy(struct pvp_tree *t)
{
	if (!t)
		return;
	for (struct pvp_tree_slab *s = GET(t->first.next), *next; s; s = next) {
		next = GET(s->next);
		munmap(s, sizeof *s);
		atomic_fetch_add(&use.left, 1);
	}
	munmap(t, sizeof *t);
	atomic_fetch_add(&use.left, 1);
}

static struct pvp_node *new_node(struct pvp_tree *t, struct pvp_node *parent, uint64_t key)
{
	struct pvp_tree_slab *s = t->last;
	if (parent->depth >= PVP_TREE_DEPTH)
		return NULL;
	if (GET(s->n) == sizeof s->node / sizeof *s->node) {
		struct pvp_tree_slab *more = take_slab() ? map(sizeof *more) : NULL;
		if (!more)
			return NULL;
		atomic_store_explicit(&s->next, more, memory_order_release);
		t->last = s = more;
	}
	struct pvp_node *n = &s->node[GET(s->n)];
	n->key = key;
	n->parent = parent;
	n->depth = parent->depth + 1;
	n->next = parent->child;
	parent->child = n;
	atomic_store_explicit(&s->n, GET(s->n) + 1, memory_order_release);
	return n;
}

/* --- time */

static void pay_cpu(struct pvp_tree *t, struct pvp_node *top)
{
	struct rusage r;
	if (getrusage(RUSAGE_THREAD, &r) != 0)
		return;
	uint64_t user =
		(uint64_t)r.ru_utime.tv_sec * 1000000000 + (uint64_t)r.ru_utime.tv_usec * 1000;
	uint64_t kernel =
		(uint64_t)r.ru_stime.tv_sec * 1000000000 + (uint64_t)r.ru_stime.tv_usec * 1000;
	ADD(top->user_ns, user - t->user_ns);
	ADD(top->kernel_ns, kernel - t->kernel_ns);
	t->user_ns = user;
	t->kernel_ns = kernel;
}

static inline void pay(struct pvp_tree *t, struct pvp_node *top, uint64_t now)
{
	uint64_t last = GET(t->last_ns);
	if (PVP_UNLIKELY((int64_t)(now - last) < 0))
		return;
	if (!GET(t->quiet))
		ADD(top->self_ns, now - last);
	SET(t->last_ns, now);
	if (PVP_UNLIKELY(GET(use.cpu)))
		pay_cpu(t, top);
}

/* A session, a pause or a calibration has begun or ended. */
static struct pvp_tree *news(void)
{
	struct pvp_thread *th = pvp_thread_refresh();
	struct pvp_tree *t = th ? GET(th->tree) : NULL;
	if (th && !t) {
		t = create_tree();
		atomic_store_explicit(&th->tree, t, memory_order_release);
	}
	if (!t) {
		pvp_nested(); /* counts the event as lost if anything is recorded */
		return NULL;
	}
	if (t->session != th->session) {
		SET(t->last_ns, pvp_now(&th->clock));
		t->session = th->session;
	}
	SET(t->quiet, pvp_paused() || !GET(pvp_core.calls));
	t->plain = !GET(t->quiet) && !GET(use.cpu) && th->clock.mult;
	return t;
}

/* The calling thread's tree, at this moment; NULL: nothing is recorded. */
static inline struct pvp_tree *here(uint64_t *ret_now)
{
	struct pvp_thread *th = pvp_tls.thread;
	struct pvp_tree *t = GET(th->tree);
	if (PVP_UNLIKELY(!GET(th->tree_ready) || !t)) {
		t = news();
		th = pvp_tls.thread;
	}
	if (t)
		*ret_now = pvp_now(&th->clock);
	return t;
}

/* --- calls */

void pvp_tree_enter(uint64_t method)
{
	uint64_t now;
	struct pvp_tree *t = here(&now);
	if (!t)
		return;
	struct pvp_node *top = GET(t->top), *n = top->child;
	pay(t, top, now);
	if (PVP_UNLIKELY(t->deeper)) {
		t->deeper++;
		pvp_nested();
		return;
	}
	if (PVP_UNLIKELY(!n || n->key != method)) {
		n = pvp_tree_find(top, method);
		if (!n)
			n = new_node(t, top, method);
		if (!n) {
			t->deeper++;
			pvp_nested();
			return;
		}
	}
	ADD(n->calls, !GET(t->quiet));
	n->enter_ns = now;
	atomic_store_explicit(&t->top, n, memory_order_release);
}

/* An outer frame leaves: the frames above have left without an event. */
static struct pvp_node *unwind(struct pvp_node *top, uint64_t method, uint64_t now)
{
	struct pvp_node *n = top;
	while (n->parent && n->key != method)
		n = n->parent;
	if (!n->parent)
		return NULL;
	for (; top != n; top = top->parent)
		pvp_tree_end(top, now);
	return n;
}

void pvp_tree_leave(uint64_t method, bool exceptional)
{
	uint64_t now;
	struct pvp_tree *t = here(&now);
	if (!t)
		return;
	struct pvp_node *top = GET(t->top);
	pay(t, top, now);
	if (PVP_UNLIKELY(t->deeper)) {
		t->deeper--;
		pvp_nested();
		return;
	}
	if (PVP_UNLIKELY(top->key != method || !top->parent)) {
		top = unwind(top, method, now);
		if (!top)
			return; /* entered before the recording began */
	}
	pvp_tree_end(top, now);
	if (exceptional && !GET(t->quiet))
		ADD(top->exc_leaves, 1);
	atomic_store_explicit(&t->top, top->parent, memory_order_release);
}

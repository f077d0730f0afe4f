/* SPDX-License-Identifier: MIT */
/* Sums waits of threads by records of switches, and finds their states and stacks by visits. */
#include "probe/outside/off_cpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/unwind/stack_copy.h"
#include "probe/unwind/target.h"
#include "probe/code/visit_pace.h"
#include "probe/code/wait_state.h"
#include "probe/ground/probe_clock.h"
#include "probe/outside/mutexes.h"

enum {
	SECOND = 1000000000,
	MS = 1000000,
	TELL = SECOND / 4, /* time between reports of a wait under way */
	FRAMES = 256,
	MOST_THREADS = 1 << 16,
	VISITS_AT_ONCE = 64,
};

enum doing { IS_UNKNOWN, RUNS, WAITS, QUEUED };

struct thread {
	pid_t tid;
	enum doing doing;
	bool listed;
	uint64_t since;             /* the thread's time is accounted for up to here */
	uint64_t began;             /* of the wait */
	uint64_t looked;            /* time of the visit that met this wait; 0: none */
	uint64_t visited, gap, lag; /* time of the last visit; of the visit that met the wait the
				     * time since the visit before, and since the last record
				     * known then */
	enum pv_wait_state state;
	struct pvp_walk_stop stop;
	PV_ARRAY(uint64_t) frame;
	struct pvo_mutex mutex;       /* waited for, as the visit found */
	bool locked;                  /* the begin of the wait for `mutex` was handed out */
	int64_t rest[PV_WAIT_STATES]; /* ns not handed out yet; less than 0: too much was */
	int64_t unknown;   /* ns of waits not met; less than 0: met waits counted for too much */
	uint64_t balanced; /* when `unknown` was last at most 0, or reduced by a met wait */
	/* The scheduler's account of waiting for a processor: */
	uint64_t asked, queued;        /* time of the last question, and the answer, ns in all */
	int64_t stood;                 /* ns logged since, or beyond the answer */
	uint32_t ends[PV_WAIT_STATES]; /* waits that ended since then */
	uint64_t woken, wakes; /* ns stood after waits in all, and the number of these waits */
};

static struct {
	unsigned hz;
	bool exact, stale; /* stale: the list of threads may be wrong */
	struct pvo_hearer hearer;
	PV_ARRAY(struct thread) thread;
	struct pv_map of; /* tid -> index */
	size_t cursor;    /* the next thread to visit */
	uint64_t due;     /* time of the next visits */
	uint64_t listed;
	int64_t pool[PV_WAIT_STATES]; /* rests of threads that ended */
} waits;

/* ---- handing out */

static int64_t period(void)
{
	return SECOND / (int64_t)waits.hz;
}

static void hand_out(
	const struct thread *t, enum pv_wait_state state, uint64_t times, uint64_t time, bool stack)
{
	waits.hearer.waited(&(struct pvo_wait){ .tid = t->tid,
		.time = time,
		.state = state,
		.times = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX,
		.n = stack ? (uint32_t)t->frame.n : 0,
		.at = t->frame.v,
		.stop = t->stop });
}

static void tell_lock(struct thread *t, uint64_t time, bool ends)
{
	t->locked = !ends;
	waits.hearer.locked(&(struct pvo_lock){ .tid = t->tid,
		.holder = t->mutex.holder,
		.time = time,
		.address = t->mutex.address,
		.ends = ends,
		.n = (uint32_t)t->frame.n,
		.at = t->frame.v });
}

/* Hands out whole samples; the rest stays for the next of the state. */
static void tell(struct thread *t, enum pv_wait_state state, uint64_t ns, uint64_t time, bool stack)
{
	t->rest[state] += (int64_t)ns;
	if (t->rest[state] < period())
		return;
	hand_out(t, state, (uint64_t)(t->rest[state] / period()), time, stack);
	t->rest[state] %= period();
}

/* Waits not met have no known state; what met waits counted too much goes off their state. */
static void tell_unknown(struct thread *t, uint64_t time)
{
	if (t->unknown > 0)
		tell(t, PV_WAIT_UNKNOWN, (uint64_t)t->unknown, time, false);
	else
		t->rest[t->state] += t->unknown;
	t->unknown = 0;
	t->balanced = time;
}

/*
 * A wait shorter than the time between two visits is met by chance, and counts for the time of all
 * waits of this length, met or not. To be met, a wait must begin before the last record known at
 * the visit, and go on until the visit.
 */
static uint64_t stands_for(const struct thread *t, uint64_t ns)
{
	enum { MOST = 4 };
	if (ns >= t->gap + t->lag)
		return ns;
	if (ns <= t->lag + ns / MOST)
		return t->gap * MOST;
	uint64_t all = (uint64_t)((double)t->gap * (double)ns / (double)(ns - t->lag));
	return all > ns ? all : ns;
}

static void count_unmet(struct thread *t, uint64_t ns, uint64_t until)
{
	if (t->unknown <= 0)
		t->balanced = until;
	t->unknown += (int64_t)ns;
}

/* Counts the part of the wait up to `until`; `ends`: the wait is over then. */
static void account(struct thread *t, uint64_t until, bool ends)
{
	uint64_t ns = until > t->since ? until - t->since : 0;
	if (t->doing == WAITS && !t->looked && !ends)
		return;
	t->since = until > t->since ? until : t->since;
	if (t->doing == QUEUED) {
		t->stood += (int64_t)ns;
		tell(t, PV_WAIT_QUEUED, ns, until, false);
		return;
	}
	t->ends[t->looked ? t->state : PV_WAIT_UNKNOWN] += ends;
	if (!t->looked) {
		count_unmet(t, ns, until);
		return;
	}
	if (t->mutex.address && !t->locked)
		tell_lock(t, t->began, false);
	if (t->locked && ends)
		tell_lock(t, until, true);
	uint64_t all = until > t->began ? until - t->began : 0;
	uint64_t more = ends ? stands_for(t, all) - all : 0;
	t->unknown -= (int64_t)more;
	if (more)
		t->balanced = until;
	tell(t, t->state, ns + more, until, true);
}

static uint64_t ended(const struct thread *t)
{
	uint64_t n = 0;
	for (unsigned s = 0; s < PV_WAIT_STATES; s++)
		n += t->ends[s];
	return n;
}

/*
 * A woken thread without a processor seemed to wait on until it ran. The scheduler says for how
 * long: this time, `ns`, is taken off the waits that ended meanwhile, an equal part off each.
 */
static void take_off(struct thread *t, uint64_t ns, uint64_t ends, uint64_t time)
{
	tell(t, PV_WAIT_QUEUED, ns, time, false);
	for (unsigned s = 0; s < PV_WAIT_STATES; s++) {
		int64_t part = (int64_t)((double)ns * t->ends[s] / (double)(ends ? ends : 1));
		if (s == PV_WAIT_UNKNOWN)
			t->unknown -= part;
		else
			t->rest[s] -= part;
	}
}

/* ---- threads */

static struct thread *thread_with_tid(pid_t tid, uint64_t time)
{
	uint32_t at = pv_map_get(&waits.of, (uint64_t)tid);
	if (at != PV_MAP_NONE)
		return &waits.thread.v[at];
	if (waits.thread.n >= MOST_THREADS || !pv_reserve(&waits.thread, 1) ||
		!pv_map_set(&waits.of, (uint64_t)tid, (uint32_t)waits.thread.n))
		return NULL;
	struct thread *t = &waits.thread.v[waits.thread.n++];
	*t = (struct thread){ .tid = tid, .since = time, .began = time, .visited = time };
	return t;
}

static void forget(struct thread *t)
{
	struct thread *last = &waits.thread.v[waits.thread.n - 1];
	pv_map_remove(&waits.of, (uint64_t)t->tid);
	pv_array_finish(&t->frame);
	if (t != last) {
		pv_map_set(&waits.of, (uint64_t)last->tid, (uint32_t)(t - waits.thread.v));
		*t = *last;
	}
	waits.thread.n--;
}

/* Rests of less than a sample are pooled: the rests of many ended threads make samples. */
static void leave(struct thread *t, uint64_t time)
{
	bool off = waits.exact && (t->doing == WAITS || t->doing == QUEUED);
	if (off && t->looked) /* may wait on */
		account(t, time, false);
	else if (off)
		account(t, time, true);
	if (t->wakes) /* by the mean so far: the scheduler says no more */
		take_off(t, t->woken / t->wakes * ended(t), ended(t), time);
	tell_unknown(t, time);
	for (unsigned s = 0; s < PV_WAIT_STATES; s++) {
		waits.pool[s] += t->rest[s];
		if (waits.pool[s] < period())
			continue;
		hand_out(t, s, (uint64_t)(waits.pool[s] / period()), time, false);
		waits.pool[s] %= period();
	}
	forget(t);
}

static void list(uint64_t time)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%ld/task", (long)pvp_target->pid);
	DIR *d = opendir(path);
	if (!d)
		return;
	for (size_t i = 0; i < waits.thread.n; i++)
		waits.thread.v[i].listed = false;
	for (struct dirent *e; (e = readdir(d));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		struct thread *t = tid > 0 ? thread_with_tid(tid, time) : NULL;
		if (t)
			t->listed = true;
	}
	closedir(d);
	for (size_t i = waits.thread.n; i-- > 0;)
		if (!waits.thread.v[i].listed)
			forget(&waits.thread.v[i]);
	waits.stale = false;
	waits.listed = time;
}

void pvo_off_cpu_anew(uint64_t time, bool exact)
{
	waits.exact = exact;
	waits.stale = true;
	for (size_t i = 0; i < waits.thread.n; i++) {
		struct thread *t = &waits.thread.v[i];
		t->doing = IS_UNKNOWN;
		t->since = t->began = time;
		t->looked = 0;
	}
}

void pvo_off_cpu_rate(unsigned hz)
{
	waits.hz = hz;
}

bool pvo_off_cpu_begin(unsigned hz, uint64_t time, struct pvo_hearer hearer)
{
	waits.hz = hz;
	waits.hearer = hearer;
	waits.exact = true;
	list(time);
	return pvp_stack_copy_init();
}

void pvo_off_cpu_finish(uint64_t time)
{
	while (waits.thread.n)
		leave(&waits.thread.v[waits.thread.n - 1], time);
	pv_array_finish(&waits.thread);
	pv_map_finish(&waits.of);
}

/* ---- records */

/* A new thread first stands for a processor. */
void pvo_off_cpu_thread_begins(pid_t tid, uint64_t time)
{
	struct thread *t = thread_with_tid(tid, time);
	if (!t || t->doing != IS_UNKNOWN)
		return;
	t->doing = waits.exact ? QUEUED : IS_UNKNOWN;
	t->asked = t->since = t->began = time;
}

void pvo_off_cpu_thread_ends(pid_t tid, uint64_t time)
{
	uint32_t at = pv_map_get(&waits.of, (uint64_t)tid);
	if (at != PV_MAP_NONE)
		leave(&waits.thread.v[at], time);
}

/* The first record of a thread says what the thread did before. */
void pvo_off_cpu_switch(pid_t tid, uint64_t time, bool out, bool preempted)
{
	struct thread *t = thread_with_tid(tid, time);
	if (!t || !waits.exact)
		return;
	if (!out && t->doing != RUNS) {
		t->doing = t->doing == IS_UNKNOWN ? WAITS : t->doing;
		if (t->looked > time) /* the visit met the next wait */
			t->looked = 0;
		account(t, time, true);
	}
	t->doing = !out ? RUNS : preempted ? QUEUED : WAITS;
	t->since = t->began = time;
	t->looked = 0;
}

/* ---- visits */

static void read_stack(struct thread *t, const struct pvp_waiting *w)
{
	static uint64_t to[FRAMES];
	t->frame.n = 0;
	if (!w->pc)
		return;
	to[0] = w->pc;
	size_t n = 1 + pvp_stack_copy_walk(w->pc, w->sp, to + 1, FRAMES - 1, &t->stop);
	if (!pv_reserve(&t->frame, n))
		return;
	memcpy(t->frame.v, to, n * sizeof *to);
	t->frame.n = n;
}

static bool is_thread(pid_t tid)
{
	return pv_map_get(&waits.of, (uint64_t)tid) != PV_MAP_NONE;
}

/* False: the thread runs. */
static bool meet(struct thread *t, uint64_t gap, uint64_t until)
{
	struct pvp_waiting w = pvp_waiting_look(t->tid);
	if (!w.waits)
		return false;
	t->state = w.state;
	t->mutex = pvo_mutex_of(&w, is_thread);
	t->locked = false;
	read_stack(t, &w);
	t->looked = pvp_monotonic();
	t->lag = t->looked - until;
	t->gap = gap;
	return true;
}

/* Without records of switches: the thread is taken to wait since the last visit. */
static void meet_by_chance(struct thread *t, uint64_t until)
{
	uint64_t before = t->since;
	t->since = until;
	if (meet(t, 0, until) && until > before)
		tell(t, t->state, until - before, until, true);
	t->looked = 0;
}

static void ask_scheduler(struct thread *t, uint64_t now, uint64_t ends)
{
	uint64_t ran, queued, first = !t->asked;
	t->asked = now;
	if (!pvp_thread_schedule(t->tid, &ran, &queued))
		return;
	int64_t woken = (int64_t)(queued - t->queued) - t->stood;
	t->queued = queued;
	t->stood = !first && woken < 0 ? -woken : 0;
	if (!first && woken > 0 && ends) {
		take_off(t, (uint64_t)woken, ends, now);
		t->woken += (uint64_t)woken;
		t->wakes += ends;
	}
	memset(t->ends, 0, sizeof t->ends);
}

/* Returns how many files of the thread were read. */
static unsigned look(struct thread *t, uint64_t until)
{
	unsigned visits = 0;
	uint64_t gap = until - t->visited;
	t->visited = until;
	if (!waits.exact) {
		meet_by_chance(t, until);
		return 1;
	}
	if (t->unknown && until > t->balanced && until - t->balanced >= SECOND)
		tell_unknown(t, until);
	if (t->doing == IS_UNKNOWN || (t->doing == WAITS && !t->looked)) {
		bool waiting = meet(t, gap, until);
		visits++;
		if (t->doing == IS_UNKNOWN && waiting)
			t->doing = WAITS;
		else if (t->doing == IS_UNKNOWN)
			t->since = t->began = until;
	}
	bool off = t->doing == WAITS || t->doing == QUEUED;
	if (off && until > t->since && until - t->since >= TELL)
		account(t, until, false);
	uint64_t ends = ended(t);
	if (!t->asked || (ends && until > t->asked && until - t->asked >= TELL)) {
		ask_scheduler(t, until, ends);
		visits++;
	}
	return visits;
}

void pvo_off_cpu_visit(uint64_t until)
{
	uint64_t now = pvp_monotonic(), before = pvp_own_time(),
		 least = pvp_about(PVO_VISIT_MS * MS);
	if (now < waits.due)
		return;
	if (waits.stale && now - waits.listed >= SECOND / 4)
		list(until);
	for (unsigned n = 0; n < VISITS_AT_ONCE && waits.cursor < waits.thread.n;)
		n += look(&waits.thread.v[waits.cursor++], until);
	if (waits.cursor >= waits.thread.n)
		waits.cursor = 0;
	uint64_t cost = (pvp_own_time() - before) * (100 / PVO_VISITS_PERCENT);
	waits.due = now + (cost > least ? cost : least);
}

/* SPDX-License-Identifier: MIT */
/* The watching thread: takes records of perf events, walks stacks, and queues notes. */
#include "probe/outside/watch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/map.h"
#include "common/base/system/proc_file.h"
#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "probe/ground/probe_clock.h"
#include "probe/code/visit_pace.h"
#include "probe/core/worker.h"
#include "probe/outside/events.h"
#include "probe/outside/files.h"
#include "probe/outside/off_cpu.h"
#include "probe/outside/pages.h"
#include "probe/outside/watch_notes.h"

enum {
	LOOK_MS = 40, /* at most */
	IDLE = 1000 / PVO_VISIT_MS,
	YOUNG_NS =
		300000, /* younger records wait: earlier records may still come into another ring */
	RINGS = 1024,
	PAGE = 4096,
	REST = 20, /* pause between readings of the list of files, in processor times of the last */
	MOST_THREADS = 1 << 16,
	SECOND = 1000000000,
	/* Each recorded switch costs the program some microseconds. */
	SWITCHES_MOST = 20000, /* a second */
	COUNTED_NS = SECOND / 5,
	SPARED_S = 10, /* at first, then ever longer */
	SPARED_MOST_S = 640,
};

static struct {
	pid_t pid;
	unsigned hz;
	struct pvp_worker worker;
	_Atomic bool stop, blind, spared;
	bool waits;
	uint64_t exec; /* time of the exec that the events began with; 0: none */
	uint64_t began;
	_Atomic uint64_t children;
	struct {
		bool recorded;
		uint64_t since, outs; /* begin of the count, switches out since then */
		uint64_t spared_s;    /* how long to spare next time, s */
	} switches;
	bool met;      /* a record came */
	unsigned idle; /* visits without a record */
	_Atomic unsigned wanted_hz;
	struct pv_map begun; /* threads whose beginning was seen */
	struct pv_map named; /* threads whose name was noted */
	bool stale;          /* files have come since the list was read */
	uint64_t read_at, read_ns;
	uint64_t throttled_at[RINGS];
	unsigned stack, samples, cut; /* bytes copied; latest samples, and how many need more */
	uint8_t *record;              /* PVO_RECORD_MOST */
	struct pvo_note note;
} watch;

static void drain(void);

static bool has_begun(pid_t tid)
{
	return pv_map_get(&watch.begun, (uint64_t)tid) != PV_MAP_NONE;
}

/* ---- files */

static bool read_files(void)
{
	uint64_t before = pvp_own_time();
	watch.stale = false;
	bool ok = pvo_files_read();
	pvp_unwind_refresh();
	watch.read_at = pvp_monotonic();
	watch.read_ns = pvp_own_time() - before;
	return ok;
}

/* The list of a process that loads and unloads without end is read now and then. */
static void look_at_files(void)
{
	if (watch.stale && pvp_monotonic() - watch.read_at >= REST * watch.read_ns)
		read_files();
}

/* ---- notes */

static void note(enum pvo_kind kind, pid_t tid, uint64_t time)
{
	watch.note.kind = kind;
	watch.note.tid = tid;
	watch.note.time = time;
	watch.note.n = 0;
	pvo_notes_put(&watch.note);
}

static void note_name(pid_t tid, uint64_t time, const char *name)
{
	strncpy(watch.note.name, name, PVO_NAME - 1);
	watch.note.name[PVO_NAME - 1] = 0;
	note(PVO_NOTE_NAME, tid, time);
}

static void find_name(pid_t tid, uint64_t time)
{
	char path[48], name[PVO_NAME];
	snprintf(path, sizeof path, "task/%ld/comm", (long)tid);
	if (pv_proc_read(watch.pid, path, name, sizeof name) <= 0)
		return;
	name[strcspn(name, "\n")] = 0;
	note_name(tid, time, name);
}

static void know_name(pid_t tid, uint64_t time)
{
	if (pv_map_get(&watch.named, (uint64_t)tid) != PV_MAP_NONE ||
		watch.named.n >= MOST_THREADS || !pv_map_set(&watch.named, (uint64_t)tid, 1))
		return;
	find_name(tid, time);
}

static void on_sample(const struct perf_event_header *h)
{
	struct pvo_sample s;
	enum { WORD = sizeof(uintptr_t) };
	if (!pvo_sample_read(h, &s) || s.pid != watch.pid)
		return;
	look_at_files();
	know_name(s.tid, s.time);
	const struct pvp_registers at = { .pc = s.pc, .sp = s.sp, .fp = s.fp };
	const struct pvp_stack_view v = { s.sp, s.sp % WORD ? 0 : s.stack_bytes, s.stack };
	struct pvo_note *n = &watch.note;
	n->kind = s.fault ? PVO_NOTE_PAGES : PVO_NOTE_SAMPLE;
	n->object = s.fault ? s.fault / PAGE * PAGE | pvo_pages_kind(s.fault, s.sp) : 0;
	n->times = PVO_PAGES;
	n->tid = s.tid;
	n->time = s.time;
	n->at[0] = s.pc;
	n->n = 1 + pvp_unwind_walk_copy(&at, &v, n->at + 1, PVO_FRAMES, &n->stop);
	bool kept = pvo_notes_put(n);
	if (kept && s.fault)
		pvo_pages_sampled();
	watch.samples++;
	watch.cut += n->stop.end == PVP_WALK_NOT_COPIED;
}

static void on_wait(const struct pvo_wait *w)
{
	struct pvo_note *n = &watch.note;
	know_name(w->tid, w->time);
	n->kind = PVO_NOTE_WAIT;
	n->tid = w->tid;
	n->time = w->time;
	n->state = w->state;
	n->times = w->times;
	n->stop = w->stop;
	n->n = w->n;
	if (n->n)
		memcpy(n->at, w->at, n->n * sizeof *n->at);
	pvo_notes_put(n);
}

static void on_lock(const struct pvo_lock *l)
{
	struct pvo_note *n = &watch.note;
	know_name(l->tid, l->time);
	n->kind = l->ends ? PVO_NOTE_UNLOCK : PVO_NOTE_LOCK;
	n->tid = l->tid;
	n->time = l->time;
	n->object = l->address;
	n->holder = l->holder;
	n->n = l->n;
	if (n->n)
		memcpy(n->at, l->at, n->n * sizeof *n->at);
	pvo_notes_put(n);
}

/* ---- the events, opened otherwise */

/* Nothing is known of the time before a thread had its event. */
static void forget_waits(void)
{
	if (watch.waits)
		pvo_off_cpu_anew(pvp_monotonic(), watch.switches.recorded);
}

static bool open_again(unsigned stack)
{
	size_t ignored;
	pvo_events_stack(stack);
	pvo_events_switches(watch.switches.recorded);
	pvo_events_close();
	pv_map_finish(&watch.begun); /* their inherited events are closed */
	memset(watch.throttled_at, 0, sizeof watch.throttled_at);
	forget_waits();
	bool ok = pvo_events_open(watch.pid, watch.hz, has_begun, drain, &ignored) == 0;
	forget_waits();
	return ok;
}

static void open_otherwise(unsigned stack, bool switches)
{
	drain();
	watch.switches.recorded = switches;
	if (open_again(stack)) {
		watch.stack = stack;
		return;
	}
	watch.stack = PVO_STACK_MOST; /* not tried again */
	watch.switches.recorded = false;
	watch.switches.since = UINT64_MAX;
	if (!open_again(PVO_STACK))
		atomic_store(&watch.blind, true);
}

/* If over 1 % of stacks are deeper than their copies, opens the events anew for twice as much. */
static void copy_more(void)
{
	enum { LOOK = 200, HUNDRED = 100 };
	if (watch.samples < LOOK || watch.stack >= PVO_STACK_MOST)
		return;
	bool more = watch.cut * HUNDRED > watch.samples;
	watch.samples = watch.cut = 0;
	if (!more)
		return;
	unsigned twice = 2 * watch.stack;
	open_otherwise(twice < PVO_STACK_MOST ? twice : PVO_STACK_MOST, watch.switches.recorded);
}

/* A program that switches very often is spared for a while: only visits meet waits. */
static void spare(void)
{
	uint64_t now = pvp_monotonic(), since = watch.switches.since;
	if (!watch.waits || now < since || now - since < COUNTED_NS)
		return;
	bool often = watch.switches.outs * SECOND > SWITCHES_MOST * (now - since);
	watch.switches.outs = 0;
	watch.switches.since = now;
	if (watch.switches.recorded && often) {
		uint64_t s = watch.switches.spared_s ? watch.switches.spared_s : SPARED_S;
		watch.switches.since = now + s * SECOND;
		watch.switches.spared_s = s < SPARED_MOST_S ? 2 * s : s;
		atomic_store(&watch.spared, true);
		open_otherwise(watch.stack, false);
	} else if (!watch.switches.recorded) {
		open_otherwise(watch.stack, true);
	}
}

/* ---- other records, laid out as in perf_event_open(2) */

static uint64_t word_at(const struct perf_event_header *h, size_t offset)
{
	uint64_t value = 0;
	if (offset + sizeof value <= h->size - sizeof *h)
		memcpy(&value, (const uint8_t *)(h + 1) + offset, sizeof value);
	return value;
}

static void on_fork(const struct perf_event_header *h, uint64_t time)
{
	pid_t pid = (pid_t)(uint32_t)word_at(h, 0), tid = (pid_t)(uint32_t)word_at(h, 8);
	pid_t parent = (pid_t)(word_at(h, 0) >> 32);
	if (pid != parent && parent == watch.pid)
		atomic_fetch_add(&watch.children, 1);
	if (pid != watch.pid || watch.begun.n >= MOST_THREADS)
		return;
	pv_map_set(&watch.begun, (uint64_t)tid, 1);
	note(PVO_NOTE_BEGIN, tid, time);
	if (watch.waits)
		pvo_off_cpu_thread_begins(tid, time);
}

static void on_exit_of(const struct perf_event_header *h, uint64_t time)
{
	pid_t pid = (pid_t)(uint32_t)word_at(h, 0), tid = (pid_t)(uint32_t)word_at(h, 8);
	if (pid != watch.pid)
		return;
	if (watch.waits)
		pvo_off_cpu_thread_ends(tid, time);
	pv_map_remove(&watch.begun, (uint64_t)tid);
	pv_map_remove(&watch.named, (uint64_t)tid);
	note(PVO_NOTE_END, tid, time);
}

static void on_comm(const struct perf_event_header *h, uint64_t time)
{
	uint64_t of = word_at(h, 0);
	uint64_t text[2] = { word_at(h, 8), word_at(h, 16) };
	char name[PVO_NAME + 1] = "";
	if ((pid_t)(uint32_t)of != watch.pid)
		return;
	watch.stale |= (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	memcpy(name, text, PVO_NAME);
	/* After the end of a short name the last word may be of the stamp. */
	pid_t tid = (pid_t)(of >> 32);
	if (watch.named.n < MOST_THREADS && pv_map_set(&watch.named, (uint64_t)tid, 1))
		note_name(tid, time, name);
}

/* From THROTTLE to UNTHROTTLE the kernel takes no samples: they count as lost. */
static void on_throttle(bool ends, unsigned ring, uint64_t time)
{
	uint64_t *since = &watch.throttled_at[ring % RINGS];
	if (ends && *since && time > *since)
		pvo_notes_lose((time - *since) * watch.hz / SECOND + 1);
	*since = ends ? 0 : time;
}

static void on_switch(const struct perf_event_header *h, const struct pvo_stamp *of)
{
	bool out = (h->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
	if (of->pid != watch.pid || !watch.waits)
		return;
	watch.switches.outs += out;
	pvo_off_cpu_switch(
		of->tid, of->time, out, (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0);
}

static void on_lost(uint64_t samples, uint64_t time)
{
	pvo_notes_lose(samples);
	watch.stale = true; /* the record of a new file may be among the lost */
	if (watch.waits)
		pvo_off_cpu_anew(time, watch.switches.recorded);
}

static void on_record(const struct perf_event_header *h, unsigned ring)
{
	struct pvo_stamp of;
	watch.met = true;
	if (h->type == PERF_RECORD_SAMPLE) {
		on_sample(h);
		return;
	}
	if (!pvo_stamp_read(h, &of))
		return;
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		watch.stale |= (pid_t)(uint32_t)word_at(h, 0) == watch.pid;
		break;
	case PERF_RECORD_FORK:
		on_fork(h, of.time);
		break;
	case PERF_RECORD_EXIT:
		on_exit_of(h, of.time);
		break;
	case PERF_RECORD_COMM:
		on_comm(h, of.time);
		break;
	case PERF_RECORD_LOST:
		on_lost(word_at(h, 8), of.time);
		break;
	case PERF_RECORD_SWITCH:
		on_switch(h, &of);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		pvo_notes_lose(word_at(h, 0));
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		on_throttle(h->type == PERF_RECORD_UNTHROTTLE, ring, of.time);
		break;
	default:
		break;
	}
}

static void drain_until(uint64_t time)
{
	unsigned ring;
	while (pvo_events_next(watch.record, time, &ring))
		on_record((const struct perf_event_header *)watch.record, ring);
}

static void drain(void)
{
	drain_until(pvp_monotonic());
}

/* ---- the thread */

/* Returns ms. A process that has done nothing for a second is visited less often. */
static int next_look(void)
{
	bool exact = !watch.waits || watch.switches.recorded;
	watch.idle = watch.met ? 0 : watch.idle + 1;
	watch.met = false;
	return watch.waits && (!exact || watch.idle < IDLE) ? PVO_VISIT_MS : LOOK_MS;
}

static void wait_for_records(void)
{
	static struct pollfd p[RINGS];
	size_t n = pvo_events_poll(p, RINGS);
	poll(p, n, next_look());
	for (size_t i = 0; i < n; i++)
		if (p[i].revents & (POLLHUP | POLLERR))
			pvo_events_hung_up(p[i].fd);
}

static void set_rate(void)
{
	unsigned hz = atomic_load(&watch.wanted_hz);
	if (hz == watch.hz)
		return;
	if (pvo_events_rate(hz) == 0)
		watch.hz = hz;
	if (watch.waits)
		pvo_off_cpu_rate(watch.hz);
	atomic_store(&watch.wanted_hz, watch.hz);
}

/* The first version of struct sched_attr: the kernel's header clashes with the C library's. */
struct schedule {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns */
};

/* Asks for short time slices (from Linux 6.12 on): visits are punctual on busy processors. */
static void come_soon(void)
{
	enum { SLICE_NS = 100000 };
	struct schedule s = {
		.size = sizeof s, .nice = getpriority(PRIO_PROCESS, 0), .runtime = SLICE_NS
	};
	syscall(SYS_sched_setattr, 0, &s, 0);
}

static void note_missed(uint64_t pages)
{
	if (!pages)
		return;
	watch.note.object = PVO_PAGES_MISSED;
	watch.note.times = pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
	note(PVO_NOTE_PAGES, watch.pid, pvp_monotonic());
}

static void *run(void *arg)
{
	prctl(PR_SET_NAME, "profview watch");
	come_soon();
	while (!atomic_load(&watch.stop)) {
		wait_for_records();
		set_rate();
		uint64_t until = pvp_monotonic() - YOUNG_NS;
		drain_until(until);
		look_at_files();
		if (watch.waits)
			pvo_off_cpu_visit(until);
		copy_more();
		spare();
		note_missed(pvo_pages_missed(watch.begun.n));
	}
	pvo_pages_count();
	drain();
	note_missed(pvo_pages_missed_in_all());
	if (watch.waits)
		pvo_off_cpu_finish(pvp_monotonic());
	return arg;
}

int pvo_watch_prepare(pid_t pid, bool pages)
{
	watch.pid = pid;
	pvo_pages_begin(pages);
	/* Copies of stacks are in no core dump. */
	watch.record = mmap(
		NULL, PVO_RECORD_MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (watch.record == MAP_FAILED || !pvo_notes_begin())
		return ENOMEM;
	madvise(watch.record, PVO_RECORD_MOST, MADV_DONTDUMP);
	pvo_files_begin(pid);
	return 0;
}

int pvo_watch_read(void)
{
	return read_files() ? 0 : ESRCH;
}

static void wish_for(unsigned hz, bool waits)
{
	watch.hz = hz;
	watch.stack = PVO_STACK;
	atomic_store(&watch.wanted_hz, hz);
	watch.waits = watch.switches.recorded = waits;
	pvo_events_switches(waits);
}

int pvo_watch_from_exec(unsigned hz, bool waits)
{
	wish_for(hz, waits);
	return pvo_events_open_from_exec(watch.pid, hz);
}

uint64_t pvo_watch_exec(void)
{
	unsigned ring;
	while (!watch.exec && pvo_events_next(watch.record, pvp_monotonic(), &ring)) {
		const struct perf_event_header *h = (const struct perf_event_header *)watch.record;
		struct pvo_stamp of;
		if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC &&
			pvo_stamp_read(h, &of))
			watch.exec = of.time;
	}
	return watch.exec;
}

/* Events that began with an exec have lost nothing of the process. */
static int open_events(size_t *ret_threads)
{
	if (watch.exec)
		return 0;
	int error = pvo_events_open(watch.pid, watch.hz, has_begun, drain, ret_threads);
	if (!error)
		forget_waits();
	return error;
}

int pvo_watch_begin(unsigned hz, bool waits, size_t *ret_threads)
{
	if (!watch.exec)
		wish_for(hz, waits);
	watch.switches.since = pvp_monotonic();
	const struct pvo_hearer hearer = { on_wait, on_lock };
	watch.began = watch.exec ? watch.exec : watch.switches.since;
	if (waits && !pvo_off_cpu_begin(hz, watch.began, hearer))
		return ENOMEM;
	int error = open_events(ret_threads);
	if (error)
		return error;
	error = pvp_worker_start(&watch.worker, 0, run, NULL);
	if (error)
		pvo_events_close();
	return error;
}

uint64_t pvo_watch_began(void)
{
	return watch.began;
}

void pvo_watch_end(void)
{
	atomic_store(&watch.stop, true);
	pvp_worker_join(&watch.worker);
	pvo_events_close();
}

bool pvo_watch_blind(void)
{
	return atomic_load(&watch.blind);
}

uint64_t pvo_watch_children(void)
{
	return atomic_load(&watch.children);
}

bool pvo_watch_spared(void)
{
	return atomic_load(&watch.spared);
}

void pvo_watch_rate(unsigned hz)
{
	atomic_store(&watch.wanted_hz, hz);
}

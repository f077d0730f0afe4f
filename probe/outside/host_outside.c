/* SPDX-License-Identifier: MIT */
/* Writes the watching thread's notes (watch_notes.h) into the log. */
#include "probe/outside/host_outside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/sample_period.h"
#include "common/base/system/proc_file.h"
#include "probe/code/modules.h"
#include "probe/code/perf_map.h"
#include "probe/code/stack_ends.h"
#include "probe/core/core_state.h"
#include "probe/core/registry.h"
#include "probe/ground/sample_rate.h"
#include "probe/core/thread_buf.h"
#include "probe/core/writer.h"
#include "probe/outside/events.h"
#include "probe/outside/watch_notes.h"
#include "probe/outside/watch.h"

enum { MOST_NAMES = 1 << 16 };

struct name {
	pid_t tid;
	char text[PVO_NAME];
};

static struct pvp_host host;
static unsigned began_hz;
static uint32_t mutex_class, page_class[PVO_PAGES_KINDS];
static char words_text[96];
static PV_ARRAY(struct name) names; /* of living threads, for a new reader */

static const char *words(void)
{
	return words_text;
}

/* ---- threads */

static struct name *name_of(pid_t tid)
{
	for (size_t i = 0; i < names.n; i++)
		if (names.v[i].tid == tid)
			return &names.v[i];
	return NULL;
}

static void put_thread(struct pvp_writer *w, struct pvp_out_buffer *page, uint8_t kind, pid_t tid,
	uint64_t time, const char *name)
{
	struct pv_event ev = { .kind = kind,
		.time = time,
		.meta = { .key = (uint64_t)tid, .name = { name, strlen(name) } } };
	pvp_out_buffer_add(w, page, &ev, NULL);
}

/* A thread that gave itself no name has the process's, and is not named in the log. */
static void put_name(struct pvp_writer *w, struct pvp_out_buffer *page, pid_t tid, uint64_t time,
	const char *name)
{
	const char *label = tid == w->host->process      ? "main"
			    : strcmp(name, w->comm) == 0 ? ""
							 : name;
	if (*label)
		put_thread(w, page, PV_KIND_THREAD_NAME, tid, time, label);
}

static void keep_name(pid_t tid, const char text[PVO_NAME])
{
	struct name *n = name_of(tid);
	if (!n && names.n < MOST_NAMES && pv_reserve(&names, 1))
		n = &names.v[names.n++];
	if (!n)
		return;
	n->tid = tid;
	memcpy(n->text, text, PVO_NAME);
}

static void forget_name(pid_t tid)
{
	struct name *n = name_of(tid);
	if (n)
		*n = names.v[--names.n];
}

/* ---- samples */

/* JIT code has its key by name: code moves, and addresses are used again. */
static uint64_t key_of_jit(uint64_t address)
{
	const char *name = pvp_perf_map_name(address);
	uint64_t key = name ? pvp_region_of_writer(name) : 0;
	return key ? key : pvp_region_of_writer("[unknown code]");
}

static uint64_t key_of(struct pvp_writer *w, uint64_t address, bool caller, uint64_t time)
{
	uint64_t key = caller ? pvp_modules_place(address) : pvp_modules_start(address);
	if (!key)
		key = key_of_jit(address);
	pvp_tell_method(w, key, time);
	return key;
}

static void put_sample(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pvo_note *s)
{
	uint64_t keys[1 + sizeof s->at / sizeof s->at[0]];
	keys[0] = s->at[0];
	for (uint32_t i = 0; i < s->n; i++)
		keys[1 + i] = key_of(w, s->at[i] - (i > 0), i > 0, s->time);
	const struct pv_batch pools = { .pool = { keys, 1 + s->n, 1 + s->n } };
	struct pv_event ev = { .kind = PV_KIND_SAMPLE_HIT,
		.time = s->time,
		.hit = { .thread = (uint64_t)s->tid, .ips = { 0, 1 }, .frames = { 1, s->n } } };
	pvp_out_buffer_add(w, page, &ev, &pools);
	pvp_stack_ends_count(PVP_SAMPLE_STACK, &s->stop, 1);
}

/* Written into a buffer of the thread `tid`, after everything before, above all names. */
static void put_in_thread(struct pvp_writer *w, struct pvp_out_buffer *page, pid_t tid,
	const struct pv_event *ev, size_t n, const struct pv_batch *pools)
{
	static struct pvp_out_buffer of_thread;
	pvp_out_buffer_send(w, &w->page);
	if (page != &w->page)
		pvp_out_buffer_send(w, page);
	for (size_t i = 0; i < n; i++)
		pvp_out_buffer_add(w, &of_thread, &ev[i], pools);
	of_thread.header.thread = (uint64_t)tid;
	pvp_out_buffer_send(w, &of_thread);
}

/* Names and classes are written before; outermost first. Pages without a sample have no frames. */
static void put_pages(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pvo_note *n)
{
	uint64_t keys[1 + PVO_FRAMES];
	for (uint32_t i = 0; i < n->n; i++)
		keys[n->n - 1 - i] = key_of(w, n->at[i] - (i > 0), true, n->time);
	const struct pv_batch pools = { .pool = { keys, n->n, n->n } };
	const struct pv_event ev = { .kind = PV_KIND_ALLOC,
		.time = n->time,
		.alloc = { page_class[n->object & PVO_PAGES_MASK], n->object,
			n->times * (uint64_t)sysconf(_SC_PAGESIZE), { 0, n->n } } };
	put_in_thread(w, page, n->tid, &ev, 1, &pools);
	pvp_stack_ends_pages(n->n > 0, n->times);
	if (n->n)
		pvp_stack_ends_count(PVP_SAMPLE_STACK, &n->stop, 1);
}

static void put_wait(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pvo_note *n)
{
	uint64_t keys[1 + PVO_FRAMES];
	for (uint32_t i = 0; i < n->n; i++)
		keys[i] = key_of(w, n->at[i] - (i > 0), true, n->time);
	const struct pv_batch pools = { .pool = { keys, n->n, n->n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_WAITED,
		.time = n->time,
		.hit = { .thread = (uint64_t)n->tid,
			.state = n->state,
			.times = n->times,
			.frames = { 0, n->n } } };
	pvp_out_buffer_add(w, page, &ev, &pools);
	if (n->n)
		pvp_stack_ends_count(PVP_SAMPLE_STACK, &n->stop, n->times);
	if (n->state != PV_WAIT_QUEUED) /* a queued thread is asked for no stack */
		pvp_stack_ends_waits(n->n > 0, n->times);
}

/* The stack is turned round: outermost first. */
static void put_lock(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pvo_note *n)
{
	uint64_t keys[1 + PVO_FRAMES];
	for (uint32_t i = 0; i < n->n; i++)
		keys[n->n - 1 - i] = key_of(w, n->at[i] - (i > 0), true, n->time);
	const struct pv_batch pools = { .pool = { keys, n->n, n->n } };
	const struct pv_event ev[] = { { .kind = PV_KIND_EXT_CLASS_OF,
					       .time = n->time,
					       .class_of = { n->object, mutex_class } },
		{ .kind = PV_KIND_EXT_HOLDER,
			.time = n->time,
			.holder = { n->object, (uint64_t)n->holder } },
		{ .kind = PV_KIND_MONITOR_CONTENTION,
			.time = n->time,
			.monitor = { n->object, { 0, n->n }, 0 } } };
	const struct pv_event end = {
		.kind = PV_KIND_MONITOR_DONE, .time = n->time, .monitor = { .object = n->object }
	};
	bool ends = n->kind == PVO_NOTE_UNLOCK;
	put_in_thread(w, page, n->tid, ends ? &end : ev, ends ? 1 : PV_COUNT_OF(ev), &pools);
}

static void put_note(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pvo_note *n)
{
	switch (n->kind) {
	case PVO_NOTE_SAMPLE:
		if (!pvp_paused())
			put_sample(w, page, n);
		break;
	case PVO_NOTE_PAGES:
		if (!pvp_paused())
			put_pages(w, page, n);
		break;
	case PVO_NOTE_WAIT:
		if (!pvp_paused())
			put_wait(w, page, n);
		break;
	case PVO_NOTE_LOCK:
	case PVO_NOTE_UNLOCK:
		if (!pvp_paused())
			put_lock(w, page, n);
		break;
	case PVO_NOTE_BEGIN:
		put_thread(w, page, PV_KIND_THREAD_START, n->tid, n->time, "");
		break;
	case PVO_NOTE_NAME:
		keep_name(n->tid, n->name);
		put_name(w, page, n->tid, n->time, n->name);
		break;
	case PVO_NOTE_END:
		forget_name(n->tid);
		put_thread(w, page, PV_KIND_THREAD_END, n->tid, n->time, "");
		break;
	}
}

static void tell_notes(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	static struct pvo_note n;
	while (pvo_notes_take(&n))
		put_note(w, page, &n);
	atomic_fetch_add(&pvp_core.orphans, pvo_notes_lost());
	if (pvo_watch_blind())
		pvp_samples_missed("the kernel opens no more events");
	if (pvo_watch_spared())
		pvp_samples_missed(PV_WAITS_SAMPLED);
	pvp_stack_ends_tell(w);
}

static bool tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	if (w->rounds == 0)
		pvp_modules_look();
	bool ok = pvp_modules_tell(w, page, again);
	if (!again) {
		tell_notes(w, page);
		return ok;
	}
	pvp_stack_ends_again();
	for (size_t i = 0; ok && i < names.n; i++)
		put_name(w, page, names.v[i].tid, w->start_ns, names.v[i].text);
	return ok;
}

static enum pvp_reply set(const char *key, const char *value, char *say, size_t room)
{
	struct pvp_sample_order order;
	enum pvp_reply r = pvp_sample_rate(key, value, began_hz, &order, say, room);
	if (r == PVP_REPLY_OK && order.hz && !order.real) {
		pvo_watch_rate(order.hz);
	} else if (r == PVP_REPLY_OK) {
		snprintf(say, room, "from outside: sample=N");
		r = PVP_REPLY_ERROR;
	}
	return r;
}

static void stop(void)
{
	pvp_modules_finish();
}

/* Of ended children that were waited for; the process itself keeps the sum. */
static uint64_t children(uint64_t *ret_cpu_us)
{
	enum { STAT = 1024 };
	const uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char text[STAT];
	if (pv_proc_read(host.process, "stat", text, sizeof text) > 0)
		*ret_cpu_us = tick_us * (pv_stat_number(text, PV_STAT_CHILDREN_USER) +
						pv_stat_number(text, PV_STAT_CHILDREN_SYSTEM));
	return pvo_watch_children();
}

static struct pvp_host host = {
	.children = children,
	.name = "outside",
	.stop = stop,
	.refresh = pvp_modules_refresh,
	.method = pvp_modules_method_now,
	.tell = tell,
	.enabled_events = words,
	.set = set,
};

const struct pvp_host *pvo_host(pid_t pid, unsigned hz, bool waits, bool pages)
{
	static const char *const kinds[] = { "new pages", "new pages of a stack",
		"new pages of a file", "new pages without a sample" };
	host.began = pvo_watch_began();
	began_hz = hz;
	host.process = pid;
	mutex_class = waits ? pvp_class("mutex") : 0;
	for (size_t i = 0; pages && i < PVO_PAGES_KINDS; i++)
		page_class[i] = pvp_class(kinds[i]);
	snprintf(words_text, sizeof words_text, "%s=%u,sample-timer=user:%u,from=events",
		waits ? "monitor,sample-real" : "sample", hz, hz);
	size_t n = strlen(words_text);
	if (pages)
		snprintf(words_text + n, sizeof words_text - n, ",pages=%d", PVO_PAGES);
	return &host;
}

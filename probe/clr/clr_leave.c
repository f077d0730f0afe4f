/* SPDX-License-Identifier: MIT */
/*
 * The reader is gone. An attached module leaves the runtime, which can load the module again on
 * request. A module loaded at the start cannot leave: the module sleeps, with timers off and all
 * events off that the runtime allows, until a reader comes.
 */
#include <pthread.h>

#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_lines.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"
#include "probe/code/native_samples.h"
#include "probe/control/session.h"
#include "probe/core/thread_buf.h"
#include "probe/managed/thread_names.h"

enum {
	/* Events off during sleep. Other events cannot be changed later, or keep names right. */
	OPTIONAL_LOW = PVP_CLR_EXCEPTIONS | PVP_CLR_SUSPENDS | PVP_CLR_ALLOCATED,
	OPTIONAL_HIGH = PVP_CLR_BASIC_GC | PVP_CLR_MOVED,
	EVACUATION_MS = 300, /* the runtime's minimum for leaving */
};

/* Held while the mask is chosen, and while a session begins. Never taken by callbacks. */
static pthread_mutex_t masks = PTHREAD_MUTEX_INITIALIZER;
static struct pvp_clr_mask full;
static _Atomic bool ending;  /* the process is */
static _Atomic bool leaving; /* the runtime has agreed to the detaching */
static bool asleep;
static bool paused_by_us; /* the writer's */

void pvp_clr_leave_begin(void)
{
	pthread_mutex_lock(&masks);
	full = (struct pvp_clr_mask){ 0, 0 };
	asleep = paused_by_us = false;
	atomic_store(&ending, false);
}

void pvp_clr_leave_mask(const struct pvp_clr_mask *mask)
{
	full = *mask;
}

void pvp_clr_leave_ready(void)
{
	pthread_mutex_unlock(&masks);
}

void pvp_clr_leave_ending(void)
{
	atomic_store(&ending, true);
}

/* --- sleep */

/* Under the lock. */
static void turn_events(bool on)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_mask mask = full;
	if (!info || on == asleep || atomic_load(&ending))
		return;
	if (on) {
		/* Frames unwound by an exception must not be missed in the hooks' count. */
		unsigned keep = full.low & PVP_CLR_CALLS ? PVP_CLR_EXCEPTIONS : 0;
		mask.low &= ~(uint32_t)OPTIONAL_LOW | keep;
		mask.high &= ~(uint32_t)OPTIONAL_HIGH;
		pvp_clr_pipe_close();
	}
	asleep = on;
	info->is->set_event_mask(info, mask.low, mask.high);
	pvp_clr_events_forget();
	if (!on)
		pvp_clr_pipe_open();
}

void pvp_clr_sleep(bool on)
{
	pthread_mutex_lock(&masks);
	turn_events(on);
	pthread_mutex_unlock(&masks);
}

static void adjust(void)
{
	const uint32_t low = PVP_CLR_EXCEPTIONS | PVP_CLR_SUSPENDS;
	const uint32_t high = PVP_CLR_BASIC_GC | PVP_CLR_EVENT_PIPE;
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_mask mask = { 0, 0 };
	uint32_t keep = full.low & PVP_CLR_CALLS ? PVP_CLR_EXCEPTIONS : 0;
	if (!info || atomic_load(&ending))
		return;
	pvp_clr_meta_init(&mask);
	pvp_clr_events_init(&mask);
	pvp_clr_pipe_init(&mask);
	full.low = (full.low & ~low) | (mask.low & low) | keep;
	full.high = (full.high & ~high) | (mask.high & high);
	if (asleep)
		return; /* until woken */
	pvp_clr_pipe_close();
	info->is->set_event_mask(info, full.low, full.high);
	pvp_clr_pipe_open();
}

/* Callbacks of new options are put in their slots; callbacks of old options find nothing to do. */
void pvp_clr_adjust(void)
{
	pthread_mutex_lock(&masks);
	adjust();
	pthread_mutex_unlock(&masks);
}

static void pause_core(bool on)
{
	pthread_mutex_lock(&pvp_core.lock); /* the writer is never inside an event */
	if (on)
		paused_by_us = !atomic_load(&pvp_core.paused);
	if (paused_by_us)
		pvp_switch(&pvp_core.paused, on);
	paused_by_us &= on;
	pthread_mutex_unlock(&pvp_core.lock);
}

void pvp_clr_reader_lost(bool unread)
{
	if (unread)
		pvp_native_samples_stop();
	if (pvp_clr.attached) {
		if (unread)
			pvp_clr_agent_leave();
		else
			pvp_clr_samples_begin();
		return;
	}
	pause_core(unread);
	if (!unread)
		pvp_clr_samples_begin();
	pvp_clr_agent_sleep(unread);
}

void pvp_clr_stopped(void)
{
	if (atomic_load(&ending))
		return;
	if (pvp_clr.attached)
		pvp_clr_agent_leave();
	else
		pvp_clr_agent_sleep(true);
}

/* --- leaving for good */

static bool somebody_reads(void)
{
	struct pvp_stats s;
	return pvp_session_recording() && pvp_writer_stats(&s) == 0 && s.reader;
}

void pvp_clr_leave(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	pthread_mutex_lock(&masks); /* not during initialization */
	pthread_mutex_unlock(&masks);
	if (!info || atomic_load(&ending) || somebody_reads())
		return;
	pvp_clr_pipe_close();
	atomic_store(&leaving, true);
	if (info->is->request_detach(info, EVACUATION_MS) < 0) {
		atomic_store(&leaving, false);
		pvp_clr_sleep(true); /* stays, with the socket */
		return;
	}
	pvp_session_stop();
}

/* The runtime has released the module: the next session must meet nothing of this session. */
pvp_hr pvp_clr_detached(void *self)
{
	(void)self;
	if (!atomic_exchange(&leaving, false))
		return 0;
	pvp_clr_agent_end(); /* about to stop this session, it must not stop the next one */
	pvp_session_stop();
	pvp_names_forget();
	pvp_clr_lines_forget();
	pvp_clr_forget();
	pvp_thread_names_forget();
	pvp_clr_events_forget();
	pvp_clr_contexts_forget();
	pvp_clr_spans_forget();
	pvp_clr_heap_forget();
	pvp_clr.info = NULL;
	pvp_clr.attached = false;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Requests of the control socket's thread to the writer, which answers in each round. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "probe/core/writer.h"

static uint64_t cpu_time(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pvp_writer_note(struct pvp_writer *w)
{
	struct pvp_stats *s = &w->stats;
	s->tally = w->tally;
	s->lost = w->lost + w->orphans;
	s->start_ns = w->start_ns;
	s->round_ns = w->round_ns;
	s->cpu_ns = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	s->process_cpu_ns = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
	s->written = w->sink.written;
	s->streams = w->streams;
	s->call_ns = w->header.timer_overhead_ns / 2;
	s->plain = strspn(w->config.output, "|#") == 0;
	s->pipe = w->sink.pipe;
	s->reader = w->sink.fd >= 0;
	memcpy(s->output, w->config.output, sizeof s->output);
}

int pvp_writer_stats(struct pvp_stats *ret)
{
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w) {
		*ret = w->stats;
		memcpy(ret->id, w->config.id, sizeof ret->id);
		memcpy(ret->control, w->config.control, sizeof ret->control);
		ret->chunks = pvp_pool_chunks(pvp_core.pool);
		ret->chunks_free = pvp_chunks_free();
	}
	pthread_mutex_unlock(&pvp_core.lock);
	return w ? 0 : EALREADY;
}

int pvp_writer_hello(void)
{
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w)
		w->hello_wanted = true;
	pthread_mutex_unlock(&pvp_core.lock);
	return w ? 0 : EALREADY;
}

int pvp_writer_move(const char *path)
{
	size_t len = strlen(path);
	if (len >= PVP_PATH_MAX)
		return ENAMETOOLONG;
	struct pvp_sink next;
	struct pvp_config options = { .zip = false };
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w) {
		options.zip = w->config.zip;
		options.maxsize = w->config.maxsize;
	}
	pthread_mutex_unlock(&pvp_core.lock);
	int error = pvp_sink_open(&next, path, &options);
	if (error)
		return error;
	pthread_mutex_lock(&pvp_core.lock);
	w = pvp_writer_now();
	error = !w ? EALREADY : w->moving ? EBUSY : 0;
	if (!error) {
		memcpy(w->next_path, path, len + 1);
		w->next = next;
		w->moving = true;
	}
	pthread_mutex_unlock(&pvp_core.lock);
	if (error)
		pvp_sink_forget(&next);
	return error;
}

void pvp_writer_exits(void)
{
	if (!pvp_lock())
		return;
	struct pvp_writer *w = pvp_writer_now();
	if (w)
		w->abrupt = w->host->announced;
	pvp_unlock();
}

void pvp_writer_hurry(void)
{
	enum { BETWEEN_NS = 5000000 };
	static _Atomic uint64_t last;
	uint64_t now = pvp_monotonic();
	if (now - atomic_load_explicit(&last, memory_order_relaxed) < BETWEEN_NS)
		return;
	atomic_store_explicit(&last, now, memory_order_relaxed);
	atomic_store(&pvp_core.hurry, true);
	pthread_cond_signal(&pvp_core.wake);
}

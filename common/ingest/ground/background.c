/* SPDX-License-Identifier: MIT */
/* A background job: its thread, progress and end, and the descriptors that announce changes. */
#include "common/ingest/ground/background.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/thread.h"

static void signal_fd(int fd)
{
	uint64_t one = 1;
	while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

bool pv_background_init(
	struct pv_background *j, const char *first_phase, void (*destroy)(struct pv_background *j))
{
	*j = (struct pv_background){ .changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.status.phase = first_phase,
		.destroy = destroy };
	pthread_mutex_init(&j->lock, NULL);
	return j->changed_fd >= 0 && j->stop_fd >= 0;
}

bool pv_background_start(struct pv_background *j, void *(*work)(void *), void *arg)
{
	j->started = pv_thread_start(&j->thread, work, arg);
	return j->started;
}

void pv_background_finish(struct pv_background *j)
{
	if (j->started)
		pv_background_cancel(j);
	pv_background_wait(j);
	if (j->changed_fd >= 0)
		close(j->changed_fd);
	if (j->stop_fd >= 0)
		close(j->stop_fd);
	pthread_mutex_destroy(&j->lock);
}

bool pv_background_stopping(const struct pv_background *j)
{
	struct pollfd p = { .fd = j->stop_fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

void pv_background_report(
	struct pv_background *j, const char *phase, uint64_t step, uint64_t steps, bool wake)
{
	pthread_mutex_lock(&j->lock);
	j->status.phase = phase;
	j->status.step = step;
	j->status.steps = steps;
	pthread_mutex_unlock(&j->lock);
	if (wake)
		signal_fd(j->changed_fd);
}

void pv_background_end(struct pv_background *j, bool done, const struct pv_error *error)
{
	pthread_mutex_lock(&j->lock);
	j->status.over = true;
	j->status.done = done;
	if (!done)
		j->status.error = *error;
	pthread_mutex_unlock(&j->lock);
	signal_fd(j->changed_fd);
}

void pv_background_cancel(struct pv_background *j)
{
	signal_fd(j->stop_fd);
}

void pv_background_wait(struct pv_background *j)
{
	if (j->started)
		pthread_join(j->thread, NULL);
	j->started = false;
}

void pv_background_await(struct pv_background *j, int ms)
{
	struct timespec now, begin;
	uint64_t news;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int left = ms; left >= 0;) {
		struct pollfd p = { .fd = j->changed_fd, .events = POLLIN };
		struct pv_background_status s;
		pv_background_status(j, &s);
		if (s.over || poll(&p, 1, left) <= 0)
			return;
		if (read(p.fd, &news, sizeof news) < 0)
			return;
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = ms - (int)((now.tv_sec - begin.tv_sec) * 1000 +
				    (now.tv_nsec - begin.tv_nsec) / 1000000);
	}
}

void pv_background_destroy(struct pv_background *j)
{
	if (j)
		j->destroy(j);
}

void pv_background_status(struct pv_background *j, struct pv_background_status *ret)
{
	pthread_mutex_lock(&j->lock);
	*ret = j->status;
	pthread_mutex_unlock(&j->lock);
}

bool pv_background_done(struct pv_background *j)
{
	struct pv_background_status s;
	pv_background_status(j, &s);
	return s.done;
}

#include "common/ingest/ground/reading.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void signal_fd(int fd)
{
	uint64_t one = 1;
	while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

bool pv_reading_init(struct pv_reading *j)
{
	*j = (struct pv_reading){ .changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	pthread_mutex_init(&j->lock, NULL);
	return j->changed_fd >= 0 && j->stop_fd >= 0;
}

bool pv_reading_start(struct pv_reading *j, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	j->started = pthread_create(&j->thread, NULL, work, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return j->started;
}

void pv_reading_finish(struct pv_reading *j)
{
	if (j->started)
		pv_reading_cancel(j);
	pv_reading_wait(j);
	if (j->changed_fd >= 0)
		close(j->changed_fd);
	if (j->stop_fd >= 0)
		close(j->stop_fd);
	pthread_mutex_destroy(&j->lock);
}

bool pv_reading_stopping(const struct pv_reading *j)
{
	struct pollfd p = { .fd = j->stop_fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

void pv_reading_changed(struct pv_reading *j)
{
	signal_fd(j->changed_fd);
}

void pv_reading_cancel(struct pv_reading *j)
{
	signal_fd(j->stop_fd);
}

void pv_reading_wait(struct pv_reading *j)
{
	if (j->started)
		pthread_join(j->thread, NULL);
	j->started = false;
}

void pv_reading_status(struct pv_reading *j, const void *status, void *ret, size_t size)
{
	pthread_mutex_lock(&j->lock);
	memcpy(ret, status, size);
	pthread_mutex_unlock(&j->lock);
}

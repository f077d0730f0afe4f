#include "common/ingest/ground/background.h"

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

bool pv_background_init(struct pv_background *j)
{
	*j = (struct pv_background){ .changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	pthread_mutex_init(&j->lock, NULL);
	return j->changed_fd >= 0 && j->stop_fd >= 0;
}

bool pv_background_start(struct pv_background *j, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	j->started = pthread_create(&j->thread, NULL, work, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
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

void pv_background_changed(struct pv_background *j)
{
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

void pv_background_status(struct pv_background *j, const void *status, void *ret, size_t size)
{
	pthread_mutex_lock(&j->lock);
	memcpy(ret, status, size);
	pthread_mutex_unlock(&j->lock);
}

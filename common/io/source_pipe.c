/* SPDX-License-Identifier: MIT */
/* A pipe as a source: drainer, spool and record. */
#include "common/io/source_pipe.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/io/drainer.h"
#include "common/io/fd.h"
#include "common/io/pipe_lock.h"
#include "common/io/source_wait.h"
#include "common/io/spool.h"
#include "common/io/spool_place.h"

enum { PIPE_BYTES = 1 << 20 };
#define DEFAULT_LIMIT (UINT64_C(1) << 30)

struct pv_pipe {
	struct pv_spool *spool;
	struct pv_drainer *drainer;
	int more_fd;        /* an eventfd: more follows an END, so do not wait */
	const char *record; /* borrowed; NULL: none */
	char record_error[160], spool_error[160];
};

/* A named pipe can get another writer. "/dev/fd/3" and the like lead to unnamed ones. */
static bool is_named_pipe(int fd)
{
	struct stat st;
	struct statfs fs;
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && fstatfs(fd, &fs) == 0 &&
	       fs.f_type != PIPEFS_MAGIC;
}

static bool is_pipe(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Opens two ends: one holds the lock for good, one is read, and opened anew for each writer. */
static bool open_ends(
	int fd, bool standard_input, struct pv_drainer_input *ret, struct pv_error *reterr)
{
	*ret = (struct pv_drainer_input){
		.read_fd = fd, .hold_fd = -1, .named_pipe = is_named_pipe(fd)
	};
	ret->had_writer = standard_input || !ret->named_pipe;
	if (!is_pipe(fd))
		return true;
	if (!pv_pipe_lock(fd, reterr))
		return false;
	fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES); /* the writer waits less often; may be refused */
	int fresh = pv_fd_reopen(fd);
	if (fresh < 0)
		fresh = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fresh < 0)
		return pv_fail(reterr, PV_EIO, 0, "cannot open the pipe: %s", strerror(errno));
	ret->hold_fd = fd;
	ret->read_fd = fresh;
	return true;
}

static int make_record(struct pv_pipe *p, bool must, struct pv_error *reterr)
{
	int fd = pv_fd_create(AT_FDCWD, p->record, O_EXCL | O_RDWR);
	if (fd >= 0)
		return fd;
	int why = errno;
	const char *file = p->record;
	snprintf(p->record_error, sizeof p->record_error, "cannot record: %s", strerror(why));
	p->record = NULL;
	if (must && why == EEXIST)
		pv_fail(reterr, PV_EUSAGE, 0, "the file to record into exists already: %s",
			PV_FIT(file, 120));
	else if (must)
		pv_fail(reterr, PV_EIO, 0, "cannot record into %s: %s", PV_FIT(file, 120),
			strerror(why));
	return -1;
}

static bool make_spool(
	struct pv_pipe *p, const struct pv_pipe_setup *setup, struct pv_error *reterr)
{
	uint64_t limit = setup->options->spool_limit;
	if (limit == 0)
		limit = DEFAULT_LIMIT;
	int ring = pv_spool_place(&limit, reterr), record = -1;
	if (ring < 0)
		return false;
	if (p->record) {
		record = make_record(p, setup->record_must_begin, reterr);
		if (record < 0 && setup->record_must_begin) {
			close(ring);
			return false;
		}
	}
	p->spool = pv_spool_create(ring, limit, record);
	return p->spool || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

struct pv_pipe *pv_pipe_open(const struct pv_pipe_setup *setup, struct pv_error *reterr)
{
	struct pv_pipe *p = calloc(1, sizeof *p);
	struct pv_drainer_input in;
	bool ok = open_ends(setup->fd, setup->standard_input, &in, reterr);
	if (p)
		p->more_fd = -1;
	else
		ok = pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok) {
		p->record = setup->options->record;
		in.patient = setup->options->patient;
		ok = make_spool(p, setup, reterr);
	}
	if (!ok) {
		pv_fd_close(&in.read_fd);
		pv_fd_close(&in.hold_fd);
		pv_pipe_close(p);
		return NULL;
	}
	p->drainer = pv_drainer_start(p->spool, &in, reterr);
	p->more_fd = pv_fd_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (p->drainer && p->more_fd >= 0 &&
		pv_wait_add(setup->epoll_fd, p->more_fd, PV_WAIT_MORE) &&
		pv_wait_add(setup->epoll_fd, pv_drainer_socket(p->drainer), PV_WAIT_DRAINER))
		return p;
	if (p->drainer)
		pv_fail(reterr, PV_EIO, 0, "cannot wait for the pipe: %s", strerror(errno));
	pv_pipe_close(p);
	return NULL;
}

/* Removes a record that never began, which would only block its name. */
static void drop_empty_record(const struct pv_pipe *p)
{
	int fds[2];
	struct stat ours, there;
	pv_spool_fds(p->spool, fds);
	if (p->record && fds[1] >= 0 && fstat(fds[1], &ours) == 0 && ours.st_size == 0 &&
		stat(p->record, &there) == 0 && there.st_ino == ours.st_ino &&
		there.st_dev == ours.st_dev)
		unlink(p->record);
}

void pv_pipe_close(struct pv_pipe *p)
{
	if (!p)
		return;
	pv_drainer_stop(p->drainer);
	if (p->spool)
		drop_empty_record(p);
	pv_spool_destroy(p->spool);
	pv_fd_close(&p->more_fd);
	free(p);
}

enum pv_read pv_pipe_read(
	struct pv_pipe *p, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	enum pv_read what = pv_spool_read(p->spool, to, size, ret_n, reterr);
	if (what == PV_READ_END && pv_spool_has_more(p->spool)) {
		eventfd_write(p->more_fd, 1);
		return what;
	}
	if ((what != PV_READ_NOTHING && what != PV_READ_END) || !pv_drainer_died(p->drainer))
		return what;
	/* The drainer may have added bytes between the last read and its death. */
	what = pv_spool_read(p->spool, to, size, ret_n, reterr);
	if (what != PV_READ_NOTHING && what != PV_READ_END)
		return what;
	pv_fail(reterr, PV_EIO, pv_spool_kept(p->spool),
		"the process that empties the pipe has died");
	return PV_READ_ERROR;
}

bool pv_pipe_record(
	struct pv_pipe *p, uint64_t from, const void *head, size_t n, struct pv_error *reterr)
{
	if (!pv_spool_record(p->spool, from, head, n, reterr))
		return false;
	pv_drainer_nudge(p->drainer);
	return true;
}

struct pv_spool *pv_pipe_spool(const struct pv_pipe *p)
{
	return p->spool;
}

void pv_pipe_wait_clear(struct pv_pipe *p, int epoll_fd, int socket)
{
	bool died;
	pv_drainer_socket_clear(socket, &died);
	if (died)
		pv_wait_remove(epoll_fd, socket);
	pv_spool_wake_clear(p->spool);
}

void pv_pipe_record_wait(struct pv_pipe *p)
{
	enum { LOOK_MS = 2, LONGEST_MS = 60000 };
	for (int ms = 0; ms < LONGEST_MS && !pv_spool_record_settled(p->spool) &&
			 !pv_drainer_gone(p->drainer);
		ms += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
}

void pv_pipe_info(struct pv_pipe *p, struct pv_source_info *ret)
{
	int record = pv_spool_record_errno(p->spool), ring = pv_spool_errno(p->spool);
	if (record && !p->record_error[0])
		snprintf(p->record_error, sizeof p->record_error, "recording has stopped: %s",
			strerror(record));
	else if (!p->record_error[0] && pv_spool_record_removed(p->spool))
		snprintf(p->record_error, sizeof p->record_error,
			"the record is lost: its file was removed while it was written");
	if (ring && !p->spool_error[0])
		snprintf(p->spool_error, sizeof p->spool_error, "the spool cannot be written: %s",
			strerror(ring));
	ret->dropped = pv_spool_dropped(p->spool);
	ret->file_bytes = pv_spool_kept(p->spool) + ret->dropped;
	if (p->record_error[0])
		ret->record_error = p->record_error;
	if (p->spool_error[0])
		ret->spool_error = p->spool_error;
}

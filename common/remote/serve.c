/* SPDX-License-Identifier: MIT */
/* The relay: answers frames with the output of commands and the bytes of logs. */
#include "common/remote/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/remote/followed.h"
#include "common/remote/jobs.h"
#include "common/remote/kept.h"
#include "common/remote/relay_frames.h"
#include "common/remote/way.h"

enum {
	LOOK_MS = 50, /* ms between two polls of a file or a child */
	AT_ONCE = 16, /* pieces of a log before requests are read again */
	FAILED = 200, /* bytes of a sentence */
	WATCHED = 1 + 2 * PV_JOBS
};

struct serve {
	int in, out;
	struct pv_frames frames;
	struct pv_jobs jobs;
	struct pv_followed log;
	const struct pv_keep *most;
	bool busy, over; /* `busy`: something was asked for already */
};

static void send_frame(
	struct serve *s, enum pv_frame_kind kind, uint64_t number, const void *bytes, size_t n)
{
	s->over |= !pv_frame_put(s->out, kind, number, bytes, n);
}

static void fail_request(struct serve *s, const char *why)
{
	send_frame(s, PV_FRAME_FAILED, 0, why, strnlen(why, FAILED));
	pv_followed_close(&s->log);
}

/* --- requests */

static void start_job(struct serve *s, const struct pv_frame *f)
{
	char why[FAILED];
	if (!pv_jobs_start(&s->jobs, f->number, f->bytes, f->n, NULL, why, sizeof why))
		fail_request(s, why);
}

static void follow_log(struct serve *s, const struct pv_frame *f)
{
	bool sound = f->n > 1 && !memchr(f->bytes, 0, f->n);
	if (s->log.path[0])
		return fail_request(s, "one log at a time");
	if (!sound || !pv_followed_begin(&s->log, (const char *)f->bytes + 1, f->n - 1, f->number,
			      f->bytes[0] == '+'))
		fail_request(s, "no path");
}

/* Bytes from either side go to the other, until the keeper or the reader there has gone. */
static void pass_on(struct serve *s, int keeper)
{
	static uint8_t piece[PV_FRAME_MOST];
	struct pollfd p[3] = { { .fd = s->in, .events = POLLIN },
		{ .fd = keeper, .events = POLLIN }, { .fd = s->out, .events = 0 } };
	for (bool stands = true; stands;) {
		if (poll(p, 3, -1) < 0)
			continue;
		ssize_t n = p[0].revents ? read(s->in, piece, sizeof piece) : -1;
		if (n > 0) {
			stands = pv_remote_write(keeper, piece, (size_t)n);
		} else if (p[0].revents && n == 0) {
			shutdown(keeper, SHUT_WR);
			p[0].fd = -1;
		}
		n = p[1].revents ? read(keeper, piece, sizeof piece) : -1;
		if (p[1].revents)
			stands = n > 0 ? pv_remote_write(s->out, piece, (size_t)n) && stands
				       : n < 0 && errno == EINTR;
		stands = stands && !(p[2].revents & POLLERR);
	}
}

/* A recording's line: the first frame, bytes that were read with it, and all further. */
static void hand_over(struct serve *s, const struct pv_frame *f)
{
	static const char none[] = "out of processes",
			  gone[] = "the recording is gone: its line was broken for longer than it "
				   "is kept, or its keeper was ended";
	bool resumes = f->kind == PV_FRAME_RESUME;
	if (s->busy)
		return fail_request(s, "one log at a time");
	int keeper =
		resumes ? pv_kept_join((const char *)f->bytes, f->n) : pv_keeper_start(s->most);
	if (keeper < 0)
		return fail_request(s, resumes ? gone : none);
	if (pv_frame_put(keeper, f->kind, f->number, f->bytes, f->n) &&
		pv_remote_write(
			keeper, s->frames.buf + s->frames.used, s->frames.n - s->frames.used))
		pass_on(s, keeper);
	close(keeper);
	s->over = true;
}

static void obey(struct serve *s)
{
	struct pv_frame f;
	enum pv_frames_state got = PV_FRAMES_NONE;
	while (!s->over && (got = pv_frames_next(&s->frames, &f)) == PV_FRAMES_ONE) {
		if (f.kind == PV_FRAME_RUN)
			start_job(s, &f);
		else if (f.kind == PV_FRAME_RECORD || f.kind == PV_FRAME_RESUME)
			hand_over(s, &f);
		else if (f.kind == PV_FRAME_FOLLOW)
			follow_log(s, &f);
		else
			s->over = true; /* STOP, or no request */
		s->busy = true;
	}
	s->over |= got == PV_FRAMES_BAD;
}

/* --- answers */

/* Whether there may be more at once. */
static bool send_log(struct serve *s)
{
	struct pv_followed *log = &s->log;
	static uint8_t piece[PV_FRAME_MOST];
	for (int i = 0; i < AT_ONCE && log->path[0] && !s->over; i++) {
		const char *why = NULL;
		uint64_t at = log->at;
		size_t n = pv_followed_read(log, piece, sizeof piece, &why);
		if (n > 0)
			send_frame(s, PV_FRAME_BYTES, at, piece, n);
		else if (why)
			fail_request(s, why);
		else if (log->ended) {
			send_frame(s, PV_FRAME_ENDED, at, NULL, 0);
			pv_followed_close(log);
		} else
			return false;
	}
	return log->path[0];
}

static void take_output(struct serve *s, struct pv_job *job, int which)
{
	uint8_t piece[4096];
	ssize_t n = read(job->from[which], piece, sizeof piece);
	if (n > 0)
		send_frame(s, which ? PV_FRAME_ERR : PV_FRAME_OUT, job->id, piece, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		close(job->from[which]);
		job->from[which] = -1;
	}
}

/*
 * Children of a command may hold its output open: the output is taken up to the last child's end.
 */
static void tell_ends(struct serve *s)
{
	for (int i = 0; i < PV_JOBS; i++) {
		struct pv_job *job = &s->jobs.job[i];
		bool open = job->from[0] >= 0 || job->from[1] >= 0;
		if (!job->used || open || !pv_job_is_gone(job))
			continue;
		send_frame(
			s, PV_FRAME_EXITED, job->id << 8 | (uint64_t)(job->code & 0xff), NULL, 0);
		job->used = false;
	}
}

static void watch(struct serve *s, bool more)
{
	struct pollfd p[WATCHED] = { { .fd = s->in, .events = POLLIN } };
	struct pv_job *of[WATCHED];
	int which[WATCHED];
	nfds_t n = 1;
	bool busy = s->log.path[0];
	for (int i = 0; i < PV_JOBS; i++) {
		busy |= s->jobs.job[i].used;
		for (int w = 0; w < 2 && s->jobs.job[i].used; w++)
			if (s->jobs.job[i].from[w] >= 0) {
				of[n] = &s->jobs.job[i];
				which[n] = w;
				p[n] = (struct pollfd){ .fd = of[n]->from[w], .events = POLLIN };
				n++;
			}
	}
	if (poll(p, n, more ? 0 : busy ? LOOK_MS : -1) <= 0)
		return;
	for (nfds_t i = 1; i < n; i++)
		if (p[i].revents)
			take_output(s, of[i], which[i]);
	if (p[0].revents)
		s->over |= !pv_frames_read(&s->frames, s->in);
	if (p[0].revents & POLLERR)
		s->over = true;
}

bool pv_serve(int in, int out, const char *version, const struct pv_keep *most)
{
	static struct serve s;
	char hello[PV_WAY_VERSION + 32];
	s.in = in;
	s.out = out;
	s.most = most;
	s.log.fd = -1;
	signal(SIGPIPE, SIG_IGN);
	int n = snprintf(
		hello, sizeof hello, "profview-relay ok %d %s\n", PV_WAY_PROTOCOL, version);
	s.over = !pv_remote_write(out, hello, (size_t)n);
	while (!s.over) {
		bool more = send_log(&s);
		tell_ends(&s);
		watch(&s, more);
		obey(&s);
	}
	pv_followed_close(&s.log);
	pv_jobs_end(&s.jobs, false);
	return true;
}

void pv_serve_unlink(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	unlinkat(fd, "profview", 0);
	close(fd);
	rmdir(folder);
}

/* SPDX-License-Identifier: MIT */
/* Runs a recording, and sends the log to the relay that is joined, from one line to the next. */
#include "common/remote/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/remote/followed.h"
#include "common/remote/jobs.h"
#include "common/remote/kept.h"
#include "common/remote/relay_frames.h"

enum {
	LOOK_MS = 50, /* between two polls of the log and of children */
	AT_ONCE = 16, /* frames before requests are read again */
	SAID = 4096,  /* bytes kept of what the recording says on standard error */
	ERRORS = 1,   /* index of standard error in pv_job.from */
	WHY = 200,    /* bytes of a sentence */
	CANNOT = 127, /* exit code of a command that was not started */
	BEFORE = 2,   /* descriptors in the poll set before those of children */
	WATCHED = BEFORE + 2 * PV_JOBS
};

struct keeper {
	struct pv_keep most;
	struct pv_kept place;
	struct pv_jobs jobs;
	struct pv_job *recording; /* NULL: none yet */
	struct pv_followed log;
	struct pv_frames frames;
	int line;         /* -1: broken */
	bool asked;       /* the line has said from where on */
	bool greeted;     /* the id was sent */
	bool log_is_over; /* all of the log was sent */
	bool reported;    /* the exit code, too */
	bool last;        /* after the frame in `out` nothing comes */
	bool full, over;
	bool leaves;        /* the program that was started goes on */
	uint64_t from;      /* first byte of the log that the line wants */
	uint64_t refused;   /* id of a command that could not be started, 0: none */
	int64_t broken_ns;  /* when the line broke */
	uint64_t broken_at; /* bytes in the folder then */
	size_t said_n, out_n, out_used;
	uint8_t said[SAID];
	uint8_t out[PV_FRAME_HEAD + PV_FRAME_MOST]; /* one frame on its way */
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* --- one frame at a time */

/* Room for the next frame's payload. */
static uint8_t *payload(struct keeper *k)
{
	return k->out + PV_FRAME_HEAD;
}

static bool send_frame(struct keeper *k, enum pv_frame_kind kind, uint64_t number, size_t n)
{
	pv_frame_head(k->out, kind, number, n);
	k->out_n = PV_FRAME_HEAD + n;
	k->out_used = 0;
	return true;
}

static bool send_text(
	struct keeper *k, enum pv_frame_kind kind, uint64_t number, const void *text, size_t n)
{
	memcpy(payload(k), text, n);
	return send_frame(k, kind, number, n);
}

static bool fail(struct keeper *k, const char *why)
{
	k->last = true;
	return send_text(k, PV_FRAME_FAILED, 0, why, strnlen(why, WHY));
}

/* Keeps the end of a text, as long as no line takes it. */
static void keep_text(struct keeper *k, const uint8_t *text, size_t n)
{
	if (n > SAID) {
		text += n - SAID;
		n = SAID;
	}
	if (k->said_n + n > SAID) {
		size_t drop = k->said_n + n - SAID;
		memmove(k->said, k->said + drop, k->said_n - drop);
		k->said_n -= drop;
	}
	memcpy(k->said + k->said_n, text, n);
	k->said_n += n;
}

/* --- the line */

/* Answers to questions of a line go with this line, and the exit codes, too. */
static void drop_line(struct keeper *k)
{
	if (k->line >= 0)
		close(k->line);
	k->line = -1;
	k->asked = k->reported = k->log_is_over = false;
	k->out_n = k->out_used = k->frames.n = k->frames.used = 0;
	k->refused = 0;
	k->broken_ns = now();
	k->broken_at = pv_kept_bytes(&k->place);
	pv_followed_close(&k->log);
	for (int i = 0; i < PV_JOBS; i++)
		if (k->jobs.job[i].used && &k->jobs.job[i] != k->recording) {
			pv_job_deafen(&k->jobs.job[i]);
			k->jobs.job[i].id = 0;
		}
}

static void accept_line(struct keeper *k)
{
	int line = accept4(k->place.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (line < 0)
		return;
	drop_line(k);
	k->line = line;
}

/* --- requests */

static void record(struct keeper *k, const struct pv_frame *f)
{
	static const char attach[] = "attach";
	char why[WHY];
	bool into_folder = f->n > sizeof attach && memcmp(f->bytes, attach, sizeof attach) == 0;
	k->asked = true;
	if (!pv_kept_make(&k->place, into_folder, k->line)) {
		fail(k, "there is no place for the recording");
		return;
	}
	k->recording =
		pv_jobs_start(&k->jobs, f->number, f->bytes, f->n, k->place.log, why, sizeof why);
	if (k->recording)
		pv_kept_ward(&k->place, k->recording->pid);
	else
		fail(k, why);
}

static void run(struct keeper *k, const struct pv_frame *f)
{
	char why[WHY];
	if (!pv_jobs_start(&k->jobs, f->number, f->bytes, f->n, NULL, why, sizeof why))
		k->refused = f->number;
}

static void obey(struct keeper *k)
{
	struct pv_frame f;
	enum pv_frames_state got = PV_FRAMES_NONE;
	while (!k->over && (got = pv_frames_next(&k->frames, &f)) == PV_FRAMES_ONE) {
		if (k->last)
			continue;
		if (f.kind == PV_FRAME_RECORD && !k->recording)
			record(k, &f);
		else if (f.kind == PV_FRAME_RESUME && k->recording && !k->asked) {
			k->from = f.number;
			k->asked = true;
		} else if (f.kind == PV_FRAME_RUN && k->recording && k->asked)
			run(k, &f);
		else {
			k->over = true; /* STOP, or no request */
			k->leaves = f.kind == PV_FRAME_STOP && f.number == 0;
		}
	}
	k->over |= got == PV_FRAMES_BAD;
}

static void hear_recording(struct keeper *k)
{
	uint8_t piece[SAID];
	int *fd = &k->recording->from[ERRORS];
	ssize_t n = read(*fd, piece, sizeof piece);
	if (n > 0) {
		keep_text(k, piece, (size_t)n);
	} else if (n == 0 || errno != EINTR) {
		close(*fd);
		*fd = -1;
	}
}

/* --- answers: each puts one frame, or returns false */

static bool send_id(struct keeper *k)
{
	if (k->greeted)
		return false;
	k->greeted = true;
	return send_text(k, PV_FRAME_KEPT, k->most.seconds, k->place.id, PV_KEPT_ID);
}

static bool send_said(struct keeper *k)
{
	if (k->said_n == 0)
		return false;
	size_t n = k->said_n;
	k->said_n = 0;
	return send_text(k, PV_FRAME_ERR, k->recording->id, k->said, n);
}

/* Of a question: output, and when there is none any more, the exit code. */
static bool send_answer(struct keeper *k, struct pv_job *job)
{
	for (int w = 0; w < 2; w++) {
		struct pollfd p = { .fd = job->from[w], .events = POLLIN };
		if (job->from[w] < 0 || poll(&p, 1, 0) <= 0)
			continue;
		ssize_t n = read(job->from[w], payload(k), SAID);
		if (n > 0)
			return send_frame(k, w ? PV_FRAME_ERR : PV_FRAME_OUT, job->id, (size_t)n);
		close(job->from[w]);
		job->from[w] = -1;
	}
	if (job->from[0] >= 0 || job->from[1] >= 0 || !pv_job_is_gone(job))
		return false;
	job->used = false;
	return job->id &&
	       send_frame(k, PV_FRAME_EXITED, job->id << 8 | (uint64_t)(job->code & 0xff), 0);
}

static bool send_answers(struct keeper *k)
{
	uint64_t refused = k->refused;
	k->refused = 0;
	if (refused)
		return send_frame(k, PV_FRAME_EXITED, refused << 8 | CANNOT, 0);
	for (int i = 0; i < PV_JOBS; i++)
		if (k->jobs.job[i].used && &k->jobs.job[i] != k->recording &&
			send_answer(k, &k->jobs.job[i]))
			return true;
	return false;
}

static bool send_log_piece(struct keeper *k)
{
	struct pv_followed *log = &k->log;
	const char *why = NULL;
	if (k->log_is_over)
		return false;
	/* Before the log is read: bytes may come until then. */
	bool gone = pv_job_is_gone(k->recording);
	if (!log->path[0] && pv_kept_found(&k->place))
		pv_followed_begin(log, k->place.log, strlen(k->place.log), k->from, true);
	uint64_t at = log->at;
	size_t n = log->path[0] ? pv_followed_read(log, payload(k), PV_FRAME_MOST, &why) : 0;
	if (n > 0)
		return send_frame(k, PV_FRAME_BYTES, at, n);
	if (why)
		return fail(k, why);
	k->log_is_over = gone;
	return gone && send_frame(k, PV_FRAME_ENDED, at, 0);
}

/* Said after all of the log, and to each line anew, as the line may break before it arrives. */
static bool send_end(struct keeper *k)
{
	struct pollfd p = { .fd = k->recording->from[ERRORS], .events = POLLIN };
	if (!k->log_is_over || k->reported)
		return false;
	while (p.fd >= 0 && poll(&p, 1, 0) > 0) {
		hear_recording(k);
		p.fd = k->recording->from[ERRORS];
	}
	if (send_said(k))
		return true;
	k->reported = true;
	return send_frame(k, PV_FRAME_EXITED,
		k->recording->id << 8 | (uint64_t)(k->recording->code & 0xff), 0);
}

static bool fill(struct keeper *k)
{
	if (!k->recording || !k->asked)
		return false;
	return send_id(k) || send_said(k) || send_answers(k) || send_log_piece(k) || send_end(k);
}

/* Whether there may be more at once. */
static bool flow(struct keeper *k)
{
	k->full = false;
	for (int i = 0; i < AT_ONCE && k->line >= 0; i++) {
		if (k->out_used == k->out_n && (k->last || !fill(k))) {
			k->over |= k->last;
			return false;
		}
		ssize_t n = write(k->line, k->out + k->out_used, k->out_n - k->out_used);
		k->full = n < 0 && errno == EAGAIN;
		if (k->full)
			return false;
		if (n < 0 && errno != EINTR)
			drop_line(k);
		else
			k->out_used += n > 0 ? (size_t)n : 0;
	}
	return k->line >= 0;
}

/* --- descriptors that are watched */

static void hear_line(struct keeper *k)
{
	bool stands = pv_frames_read(&k->frames, k->line);
	obey(k);
	if (!stands && k->line >= 0)
		drop_line(k);
}

static void watch(struct keeper *k, bool more)
{
	struct pollfd p[WATCHED] = { { .fd = k->line, .events = POLLIN },
		{ .fd = k->recording ? k->place.socket : -1, .events = POLLIN } };
	nfds_t n = BEFORE;
	if (k->full)
		p[0].events |= POLLOUT;
	if (k->recording)
		p[n++] = (struct pollfd){ .fd = k->recording->from[ERRORS], .events = POLLIN };
	for (int i = 0; i < PV_JOBS && !k->full; i++)
		for (int w = 0; w < 2; w++)
			if (k->jobs.job[i].used && &k->jobs.job[i] != k->recording)
				p[n++] = (struct pollfd){ .fd = k->jobs.job[i].from[w],
					.events = POLLIN };
	if (poll(p, n, more ? 0 : k->recording ? LOOK_MS : -1) <= 0)
		return;
	if (k->recording && p[BEFORE].revents)
		hear_recording(k);
	if (p[0].revents & ~POLLOUT)
		hear_line(k);
	if (p[1].revents)
		accept_line(k);
}

/* Bounds what is kept without a line. */
static void look(struct keeper *k)
{
	char text[WHY];
	if (k->line >= 0)
		return;
	uint64_t bytes = pv_kept_bytes(&k->place);
	k->over |= !k->recording || now() - k->broken_ns > k->most.seconds * INT64_C(1000000000);
	if (k->over || pv_job_is_gone(k->recording) || bytes < k->broken_at ||
		bytes - k->broken_at <= k->most.bytes)
		return;
	int n = snprintf(text, sizeof text,
		"profview: the recording was ended, with a program that it had started, as it had "
		"grown by %llu MiB without a line\n",
		(unsigned long long)(k->most.bytes >> 20));
	keep_text(k, (const uint8_t *)text, (size_t)n);
	k->most.bytes = UINT64_MAX;
	kill(-k->recording->pid, SIGINT);
}

static void keep(struct keeper *k)
{
	while (!k->over) {
		watch(k, flow(k));
		look(k);
	}
	pv_followed_close(&k->log);
	if (k->leaves)
		pv_kept_ward(&k->place, 0);
	pv_jobs_end(&k->jobs, !k->leaves);
	pv_kept_ward(&k->place, 0);
	pv_kept_remove(&k->place);
}

/* Descriptors of the relay would hold up the command that leads here. */
static void leave_relay(void)
{
	int nothing = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(nothing, fd);
	if (nothing > 2)
		close(nothing);
	setsid();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "profview-keeper");
}

int pv_keeper_start(const struct pv_keep *most)
{
	static struct keeper k;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		leave_relay();
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		k = (struct keeper){ .most = *most,
			.line = ends[1],
			.place = { .socket = -1, .janitor = -1 },
			.log = { .fd = -1 } };
		keep(&k);
		_exit(0);
	}
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

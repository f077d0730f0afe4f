/* SPDX-License-Identifier: MIT */
/* Carries a log from a relay on another machine into a local file or pipe, and reconnects. */
#include "common/remote/carrier.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/format/mlpd/mlpd.h"
#include "common/remote/relay_frames.h"

enum {
	LOG = 1, /* ids of what runs there */
	FIRST_ASK = 2,
	LONGEST_S = 10, /* between two tries */
	WAITS = 4,      /* for 0, 1, 3, 7 s; then as long each time */
	HEAD = 64,      /* of a log, with its process */
	ID = 64,        /* of a recording, at most */
	MOST_S = 3600,  /* that a recording is believed to be kept */
	LINE = 256
};

struct carry {
	const struct pv_carrier *c;
	struct pv_way *w;
	struct pv_frames frames;
	int out;
	uint64_t at; /* bytes written to `out` */
	uint8_t head[HEAD];
	size_t head_n, said_n;
	uint64_t asking, asked; /* id of the open question, 0: none; the last id used */
	char answer[PV_CARRIED_ANSWER];
	size_t answer_n;
	uint8_t id[ID]; /* of the recording there */
	size_t id_n;
	int64_t kept_ns; /* without a line */
	unsigned vain;   /* reconnections in a row without a new byte */
	bool over, broken;
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Keeps the end of a text that grows without bound. */
static void keep_end(char *to, size_t room, size_t *used, const uint8_t *bytes, size_t n)
{
	if (n >= room) {
		bytes += n - (room - 1);
		n = room - 1;
	}
	if (*used + n >= room) {
		size_t drop = *used + n - (room - 1);
		memmove(to, to + drop, *used - drop);
		*used -= drop;
	}
	memcpy(to + *used, bytes, n);
	*used += n;
	to[*used] = '\0';
}

static void add_said(struct carry *k, const void *text, size_t n)
{
	keep_end(k->c->carried->said, PV_CARRIED_TEXT, &k->said_n, text, n);
}

/* A line of our own: what the program of a recording says is not shown. */
static void say_ours(struct carry *k, const void *text, size_t n)
{
	static const char ours[] = "profview: ";
	if (k->said_n > 0 && k->c->carried->said[k->said_n - 1] != '\n')
		add_said(k, "\n", 1);
	add_said(k, ours, sizeof ours - 1);
	add_said(k, text, n);
	add_said(k, "\n", 1);
}

/* --- frames */

static void take_bytes(struct carry *k, const struct pv_frame *f)
{
	static const char gap[] = "bytes of the log are missing on the line";
	if (f->number != k->at) {
		say_ours(k, gap, sizeof gap - 1);
		k->over = true;
		return;
	}
	if (k->head_n < HEAD) {
		size_t n = f->n < HEAD - k->head_n ? f->n : HEAD - k->head_n;
		memcpy(k->head + k->head_n, f->bytes, n);
		k->head_n += n;
	}
	k->at += f->n;
	k->vain = 0;
	atomic_store(&k->c->carried->bytes, k->at);
	k->over |= !pv_remote_write(k->out, f->bytes, f->n); /* the viewer has left, or no room */
}

static void answer_link(struct carry *k, unsigned code)
{
	char line[PV_CARRIED_ANSWER + 8];
	for (size_t i = 0; i < k->answer_n; i++)
		if (k->answer[i] == '\n')
			k->answer[i] = i + 1 < k->answer_n ? ' ' : '\0';
	int n = snprintf(line, sizeof line, "%d %s\n", code != 0, k->answer);
	pv_remote_write(k->c->link, line, (size_t)n);
	k->asking = 0;
}

static void take_exit(struct carry *k, const struct pv_frame *f)
{
	uint64_t id = f->number >> 8;
	unsigned code = f->number & 0xff;
	if (k->asking && id == k->asking)
		answer_link(k, code);
	if (id != LOG || k->c->path)
		return;
	atomic_store(&k->c->carried->code, (int)code);
	k->over = true;
}

static void take_id(struct carry *k, const struct pv_frame *f)
{
	k->over |= k->c->path || f->n > ID;
	if (k->over)
		return;
	memcpy(k->id, f->bytes, f->n);
	k->id_n = f->n;
	k->kept_ns = (int64_t)(f->number < MOST_S ? f->number : MOST_S) * INT64_C(1000000000);
}

static void take_frame(struct carry *k, const struct pv_frame *f)
{
	switch (f->kind) {
	case PV_FRAME_BYTES:
		take_bytes(k, f);
		break;
	case PV_FRAME_ENDED:
		k->over |= k->c->path != NULL;
		break;
	case PV_FRAME_FAILED:
		say_ours(k, f->bytes, f->n);
		k->over = true;
		break;
	case PV_FRAME_KEPT:
		take_id(k, f);
		break;
	case PV_FRAME_EXITED:
		take_exit(k, f);
		break;
	case PV_FRAME_OUT:
	case PV_FRAME_ERR:
		if (f->number == k->asking && k->asking)
			keep_end(k->answer, sizeof k->answer, &k->answer_n, f->bytes, f->n);
		else if (f->kind == PV_FRAME_ERR)
			add_said(k, f->bytes, f->n);
		break;
	default:
		k->over = true; /* not a relay's answer */
		break;
	}
}

static void take_all(struct carry *k)
{
	struct pv_frame f;
	enum pv_frames_state got = PV_FRAMES_NONE;
	while (!k->over && (got = pv_frames_next(&k->frames, &f)) == PV_FRAMES_ONE)
		take_frame(k, &f);
	k->over |= got == PV_FRAMES_BAD;
}

/* --- questions of the parent */

/* 0: not known (yet). */
static uint32_t pid_of(const struct carry *k)
{
	struct mlpd_header h = { 0 };
	struct pv_cursor c = { .at = k->head, .end = k->head + k->head_n };
	enum mlpd_status got = mlpd_get_header(&c, &h, NULL);
	return got == MLPD_OK || got == MLPD_SHORT ? h.pid : 0;
}

static void send_question(struct carry *k, char *line)
{
	char words[LINE + 32];
	uint32_t pid = pid_of(k);
	line[strcspn(line, "\n")] = '\0';
	k->answer_n = 0;
	k->answer[0] = '\0';
	if (k->broken || k->asking || !pid) {
		static const char no[] = "the line there does not stand now";
		keep_end(k->answer, sizeof k->answer, &k->answer_n, (const uint8_t *)no,
			sizeof no - 1);
		answer_link(k, 1);
		return;
	}
	int n = snprintf(words, sizeof words, "ctl%c%u%c%s", 0, pid, 0, line);
	k->asking = ++k->asked;
	pv_frame_put(k->w->to, PV_FRAME_RUN, k->asking, words, (size_t)n + 1);
}

static void hear_link(struct carry *k)
{
	char line[LINE];
	ssize_t n = read(k->c->link, line, sizeof line - 1);
	if (n <= 0) {
		k->over |= n == 0 || errno != EINTR;
		return;
	}
	line[n] = '\0';
	send_question(k, line);
}

/* --- the line */

static bool begin_carrying(struct carry *k)
{
	const struct pv_carrier *c = k->c;
	char text[PATH_MAX + 1];
	if (!c->path && k->id_n)
		return pv_frame_put(k->w->to, PV_FRAME_RESUME, k->at, k->id, k->id_n);
	if (!c->path)
		return pv_frame_put(k->w->to, PV_FRAME_RECORD, LOG, c->words, c->words_n);
	int n = snprintf(text, sizeof text, "%c%s", c->goes_on ? '+' : '.', c->path);
	if (n < 0 || (size_t)n >= sizeof text)
		return false;
	return pv_frame_put(k->w->to, PV_FRAME_FOLLOW, k->at, text, (size_t)n);
}

/* Reads what came, or what is asked, waiting so long; false: the line broke. */
static bool carry_once(struct carry *k, int ms)
{
	struct pollfd p[4] = { { .fd = k->c->link, .events = POLLIN },
		{ .fd = k->out, .events = 0 }, /* the end of the pipe's reader shows as an error */
		{ .fd = k->broken ? -1 : k->w->from, .events = POLLIN },
		{ .fd = k->broken ? -1 : k->w->err, .events = POLLIN } };
	if (poll(p, 4, ms) <= 0)
		return true;
	if (p[0].revents)
		hear_link(k);
	if (p[1].revents & POLLERR)
		k->over = true;
	if (p[3].revents)
		pv_way_hear(k->w);
	bool stands = !p[2].revents || pv_frames_read(&k->frames, k->w->from);
	take_all(k);
	return stands;
}

/* Whether a broken line is made again: bytes that came through a pipe there are gone. */
static bool can_mend(const struct carry *k)
{
	const struct pv_carrier *c = k->c;
	return c->path ? c->goes_on || k->at > 0 : k->id_n > 0;
}

/*
 * A keeper sees the break perhaps after the carrier does, and would be gone twice its time after
 * that for sure. False: the line cannot be made again.
 */
static bool try_again(struct carry *k, int64_t broken_ns)
{
	static const char lost[] = "the line broke, and was not made again while the recording is "
				   "kept there";
	struct pv_way_options again = k->c->way;
	struct pv_error err = { 0 };
	again.again = true;
	if (pv_way_open(k->w, &again, &err) && begin_carrying(k))
		return true;
	pv_way_close(k->w);
	k->over |= err.code == PV_EUSAGE;
	if (!k->c->path && now() - broken_ns > 2 * k->kept_ns) {
		say_ours(k, lost, sizeof lost - 1);
		k->over = true;
	}
	return false;
}

static void mend(struct carry *k)
{
	int64_t broken_ns = now();
	k->broken = true;
	if (k->asking)
		answer_link(k, 1);
	pv_way_close(k->w);
	for (bool stands = false; !stands && !k->over; k->vain++) {
		int64_t wait_s = k->vain < WAITS ? (INT64_C(1) << k->vain) - 1 : LONGEST_S;
		int64_t until = now() + wait_s * INT64_C(1000000000);
		for (int64_t left; !k->over && (left = until - now()) > 0;)
			carry_once(k, (int)(left / 1000000) + 1);
		stands = !k->over && try_again(k, broken_ns);
	}
	k->frames.n = k->frames.used = 0;
	k->broken = k->over;
	if (!k->over)
		atomic_fetch_add(&k->c->carried->breaks, 1);
}

void pv_carry(const struct pv_carrier *c, struct pv_way *w)
{
	static const char broke[] = "the line broke";
	static struct carry k;
	k = (struct carry){ .c = c,
		.w = w,
		.out = open(c->into, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600),
		.asked = FIRST_ASK };
	atomic_store(&c->carried->code, -1);
	bool stands = k.out >= 0 && begin_carrying(&k);
	k.over = k.out < 0;
	while (!k.over) {
		if (!stands && can_mend(&k)) {
			mend(&k);
		} else if (!stands) {
			say_ours(&k, broke, sizeof broke - 1);
			break;
		}
		stands = k.over || carry_once(&k, -1);
	}
	/* A killed viewer shows first by the pipe's reader, or by the link. */
	bool killed = !atomic_load(&c->carried->leaves) && atomic_load(&c->carried->code) < 0;
	if (w->to >= 0)
		pv_frame_put(w->to, PV_FRAME_STOP, killed, NULL, 0);
	if (k.out >= 0)
		close(k.out);
	pv_way_close(w);
}

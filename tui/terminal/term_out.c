/* SPDX-License-Identifier: MIT */
/*
 * Output to the terminal: gathers frames, writes without blocking, counts answers of the terminal.
 */
#include "tui/terminal/term_out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/terminal/squeeze.h"

/* Frames for keys under way at once; ms of waiting for the first answer, and for later answers. */
enum { HASTY = 3, FIRST_MS = 500, ANSWER_MS = 3000 };
/*
 * ms after which an answer means a slow line; bytes under way on such a line, also with a key's
 * frame.
 */
enum { SLOW_MS = 80, WINDOW = 3100, KEY_WINDOW = 5000 };

/* A picture appears at once where the terminal knows these, others pass over them. */
static const char picture_begins[] = "\033[?2026h", picture_ends[] = "\033[?2026l";
static const char question[] = "\033[5n"; /* ECMA-48: device status report */

/* Copies get numbers above the standard streams, which other code may inspect. */
static int copy_of(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/*
 * O_NONBLOCK is a state of the open file description, shared with all who inherit the same open(),
 * the shell too; so the terminal is opened anew. Only a terminal: a second open() of anything else
 * has its own offset.
 */
static int open_quick(int fd)
{
	char name[64];
	if (!isatty(fd))
		return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

bool ui_term_out_open(struct ui_term_out *o, int fd)
{
	int own = copy_of(fd);
	*o = (struct ui_term_out){ .tty = copy_of(fd), .quick = -1, .gather = -1 };
	o->file = own >= 0 && o->tty >= 0 ? fdopen(own, "w") : NULL;
	if (o->file) {
		o->gather = memfd_create("frame", MFD_CLOEXEC);
		o->quick = open_quick(o->tty);
		return true;
	}
	int why = errno;
	if (own >= 0)
		close(own);
	if (o->tty >= 0)
		close(o->tty);
	errno = why;
	return false;
}

void ui_term_out_close(struct ui_term_out *o)
{
	if (!o->file)
		return;
	fclose(o->file);
	close(o->tty);
	if (o->quick >= 0)
		close(o->quick);
	if (o->gather >= 0)
		close(o->gather);
	free(o->left);
	*o = (struct ui_term_out){ .tty = -1, .quick = -1, .gather = -1 };
}

/* Makes `from` a copy of `to`. EBUSY: an open() elsewhere is just taking the number. */
static bool lead_to(int from, int to)
{
	int got;
	do
		got = dup3(to, from, O_CLOEXEC);
	while (got < 0 && (errno == EINTR || errno == EBUSY));
	return got >= 0;
}

void ui_term_out_begin(struct ui_term_out *o)
{
	if (o->gather >= 0)
		lead_to(fileno(o->file), o->gather);
}

static bool has_left(const struct ui_term_out *o)
{
	return o->done < o->n;
}

/* Writes until nothing is left or, not waiting, the terminal takes no more at present. */
static void write_left(struct ui_term_out *o, bool waits)
{
	const int to = o->quick >= 0 ? o->quick : o->tty;
	while (has_left(o)) {
		ssize_t got = write(to, o->left + o->done, o->n - o->done);
		if (got < 0 && errno == EAGAIN) {
			/* A shared description is non-blocking by another program's choice. */
			if (!waits && o->quick >= 0)
				return;
			struct pollfd p = { .fd = to, .events = POLLOUT };
			poll(&p, 1, -1);
			continue;
		}
		if (got < 0 && errno != EINTR)
			break; /* the terminal is gone */
		o->done += got > 0 ? (size_t)got : 0;
	}
	o->n = o->done = 0;
}

bool ui_term_out_more(struct ui_term_out *o)
{
	write_left(o, false);
	return !has_left(o);
}

void ui_term_out_flush(struct ui_term_out *o)
{
	write_left(o, true);
}

/* Room for so many bytes more. */
static bool reserve_left(struct ui_term_out *o, size_t more)
{
	if (o->done > 0) {
		memmove(o->left, o->left + o->done, o->n - o->done);
		o->n -= o->done;
		o->done = 0;
	}
	if (o->n + more <= o->room)
		return true;
	char *left = realloc(o->left, 2 * (o->n + more));
	if (!left)
		return false;
	o->left = left;
	o->room = 2 * (o->n + more);
	return true;
}

static void append_left(struct ui_term_out *o, const char *text, size_t size)
{
	memcpy(o->left + o->n, text, size);
	o->n += size;
}

/* Appends the frame, with the marks around it, to the bytes left to write. */
static void take_frame(struct ui_term_out *o, size_t size, int64_t now_ns)
{
	size_t got = 0;
	if (!reserve_left(o, size + sizeof picture_begins + sizeof picture_ends + sizeof question))
		return;
	const size_t before = o->n;
	if (o->marks)
		append_left(o, picture_begins, sizeof picture_begins - 1);
	while (got < size) {
		ssize_t n = read(o->gather, o->left + o->n, size - got);
		if (n <= 0)
			break;
		got += (size_t)n;
		o->n += (size_t)n;
	}
	o->n = before + ui_squeeze(o->left + before, o->n - before);
	if (o->marks)
		append_left(o, picture_ends, sizeof picture_ends - 1);
	if (!o->asks || o->asked == UI_PIECES)
		return;
	append_left(o, question, sizeof question - 1);
	o->piece[o->asked++] = (struct ui_piece){ o->n - o->done, now_ns };
}

void ui_term_out_end(struct ui_term_out *o, int64_t now_ns)
{
	struct stat gathered;
	if (o->gather < 0)
		return;
	fflush(o->file);
	lead_to(fileno(o->file), o->tty);
	if (fstat(o->gather, &gathered) != 0 || gathered.st_size <= 0 ||
		lseek(o->gather, 0, SEEK_SET) < 0)
		return;
	take_frame(o, (size_t)gathered.st_size, now_ns);
	if (ftruncate(o->gather, 0) == 0)
		lseek(o->gather, 0, SEEK_SET);
	write_left(o, false);
}

void ui_term_out_answered(struct ui_term_out *o, int64_t now_ns)
{
	o->heard = true;
	if (o->asked == 0)
		return;
	o->slow = now_ns - o->piece[0].sent_ns > SLOW_MS * INT64_C(1000000);
	o->asked--;
	memmove(&o->piece[0], &o->piece[1], (size_t)o->asked * sizeof o->piece[0]);
}

static size_t under_way(const struct ui_term_out *o)
{
	size_t n = 0;
	for (int i = 0; i < o->asked; i++)
		n += o->piece[i].size;
	return n;
}

bool ui_term_out_has_room(const struct ui_term_out *o)
{
	return o->slow && o->asked < UI_PIECES && under_way(o) + UI_PIECE <= WINDOW;
}

/* Whether a frame for a key may be sent though others are under way. */
static bool takes_key(const struct ui_term_out *o)
{
	return o->slow ? o->asked < UI_PIECES && under_way(o) + UI_PIECE <= KEY_WINDOW
		       : o->asked < HASTY;
}

int64_t ui_term_out_wait(struct ui_term_out *o, bool hasty, int64_t now_ns)
{
	const int64_t most = o->heard ? ANSWER_MS : FIRST_MS;
	const int64_t last_ns = o->asked > 0 ? o->piece[o->asked - 1].sent_ns : now_ns;
	const int64_t left = most - (now_ns - last_ns) / 1000000;
	if (o->asked > 0 && left <= 0) {
		/* A terminal that has never answered is not asked again. */
		o->asks = o->heard;
		o->asked = 0;
	}
	if (has_left(o))
		return ANSWER_MS;
	return o->asked == 0 || (hasty && takes_key(o)) ? 0 : left;
}

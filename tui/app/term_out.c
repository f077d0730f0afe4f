#include "tui/app/term_out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

/* Descriptors above those of the standard streams, which others may look at. */
static int copy_of(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

bool ui_term_out_open(struct ui_term_out *o, int fd)
{
	int own = copy_of(fd);
	*o = (struct ui_term_out){ .tty = copy_of(fd), .gather = -1 };
	o->file = own >= 0 && o->tty >= 0 ? fdopen(own, "w") : NULL;
	if (o->file) {
		o->gather = memfd_create("frame", MFD_CLOEXEC);
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
	if (o->gather >= 0)
		close(o->gather);
	*o = (struct ui_term_out){ .tty = -1, .gather = -1 };
}

/* A descriptor may be busy for a moment where another one is being opened. */
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

/* False when the terminal takes nothing any more. */
static bool put(int tty, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t done = write(tty, text, n);
		if (done < 0 &&
			errno == EAGAIN) { /* somebody else's choice: it shares this state */
			struct pollfd p = { .fd = tty, .events = POLLOUT };
			poll(&p, 1, -1);
			continue;
		}
		if (done < 0 && errno != EINTR)
			return false;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

void ui_term_out_end(struct ui_term_out *o)
{
	enum { PIECE = 16 << 10 };
	char text[PIECE];
	ssize_t n;
	if (o->gather < 0)
		return;
	fflush(o->file);
	lead_to(fileno(o->file), o->tty);
	if (lseek(o->gather, 0, SEEK_SET) < 0)
		return;
	while ((n = read(o->gather, text, sizeof text)) > 0 && put(o->tty, text, (size_t)n))
		;
	if (ftruncate(o->gather, 0) == 0)
		lseek(o->gather, 0, SEEK_SET);
}

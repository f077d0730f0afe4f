/* SPDX-License-Identifier: MIT */
/* `profview --on`: runs the command line on another machine, prints or shows here the result. */
#include "tui/commands/on_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "common/remote/carrier.h"
#include "common/remote/relay_frames.h"
#include "common/remote/serve.h"
#include "common/remote/way.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/commands/on_words.h"

enum {
	ONLY = 1, /* id of the only command */
	LINE = 512,
	PLACE = 512, /* of a private folder's path */
	ANSWER_MS = 10000,
	LOOK_NS = 5000000
};

/* --- without a screen */

struct lines {
	char text[LINE];
	size_t n;
	const char *where;
	bool to_terminal; /* of standard output */
};

/* A terminal gets showable characters only, anything else the bytes as they are. */
static void print(struct lines *l, const struct pv_frame *f)
{
	if (!l->to_terminal) {
		fwrite(f->bytes, 1, f->n, stdout);
		return;
	}
	for (size_t i = 0; i < f->n; i++) {
		char c = (char)f->bytes[i];
		bool full = l->n == sizeof l->text - 1;
		if (c == '\n' || full) {
			l->text[l->n] = '\0';
			pv_showable_put(stdout, l->text);
			l->n = 0;
		}
		if (c == '\n')
			putc('\n', stdout);
		else if (c)
			l->text[l->n++] = c;
	}
}

/* Lines of a profview there begin so. */
static const char our_name[] = "profview: ";

static bool is_our_line(const char *line)
{
	return strncmp(line, our_name, sizeof our_name - 1) == 0;
}

static void complain(const char *where, const char *line)
{
	ui_complain(where, "%s", is_our_line(line) ? line + sizeof our_name - 1 : line);
}

static void print_error(struct lines *l, const struct pv_frame *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->bytes[i] == '\n' || l->n == sizeof l->text - 1) {
			l->text[l->n] = '\0';
			complain(l->where, l->text);
			l->n = 0;
		} else if (f->bytes[i]) {
			l->text[l->n++] = (char)f->bytes[i];
		}
}

/* False: go on; true: *ret_code. */
static bool take_far_frame(
	const struct pv_frame *f, struct lines *out, struct lines *err, int *ret_code)
{
	switch (f->kind) {
	case PV_FRAME_OUT:
		print(out, f);
		return false;
	case PV_FRAME_ERR:
		print_error(err, f);
		return false;
	case PV_FRAME_EXITED:
		*ret_code = (int)(f->number & 0xff);
		return true;
	default:
		ui_complain(err->where, "it answers what no profview answers");
		*ret_code = EXIT_OWN;
		return true;
	}
}

static int run_text(struct pv_way *w, const char *where, const char *words, size_t n)
{
	static struct pv_frames frames;
	static struct lines out, err;
	struct pv_frame f = { 0 };
	int code = EXIT_OWN;
	out.to_terminal = isatty(STDOUT_FILENO);
	err.where = where;
	bool over = !pv_frame_put(w->to, PV_FRAME_RUN, ONLY, words, n);
	while (!over) {
		enum pv_frames_state got = pv_frames_next(&frames, &f);
		if (got == PV_FRAMES_ONE) {
			over = take_far_frame(&f, &out, &err, &code);
			continue;
		}
		struct pollfd p[2] = { { .fd = w->from, .events = POLLIN },
			{ .fd = w->err, .events = POLLIN } };
		poll(p, 2, -1);
		if (p[1].revents)
			pv_way_hear(w);
		if (got == PV_FRAMES_BAD || (p[0].revents && !pv_frames_read(&frames, w->from))) {
			ui_complain(where, "the line broke");
			over = true;
		}
	}
	return ui_exit_output(code);
}

/* --- with a screen */

/* Shared by carrier and viewer. A viewer that leaves removes the place, else the carrier. */
struct shared {
	struct pv_carried carried;
	_Atomic bool over; /* the carrier brings no more */
	bool keeps;        /* the log is the user's --record */
	char folder[PLACE], log[PLACE + NAME_MAX + 2];
};

struct ui_far {
	struct shared *shared;
	pid_t carrier;
	int link, read_end; /* of the pipe: a reader is there from the start */
};

bool ui_far_shot(void *far, struct pv_error *reterr)
{
	static const char line[] = "heapshot\n";
	struct ui_far *f = far;
	char answer[PV_CARRIED_ANSWER + 8];
	struct pollfd p = { .fd = f->link, .events = POLLIN };
	while (recv(f->link, answer, sizeof answer, MSG_DONTWAIT) > 0)
		; /* answers of questions before */
	if (!pv_remote_write(f->link, line, sizeof line - 1) || poll(&p, 1, ANSWER_MS) <= 0)
		return pv_fail(reterr, PV_EIO, 0, "the machine there does not answer");
	ssize_t n = read(f->link, answer, sizeof answer - 1);
	if (n < 2)
		return pv_fail(reterr, PV_EIO, 0, "the line there has ended");
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	return answer[0] == '0' || pv_fail(reterr, PV_EIO, 0, "%s", answer + 2);
}

/*
 * Makes a file or pipe for the log. A log that goes on comes into a file: as with any file, an end
 * that is uncertain is reported and withdrawn. A log that surely ends comes through a pipe. Both
 * get the log's own name, to be shown on screen.
 */
static bool make_place(struct ui_far *far, const char *path, const char *record, bool pipe,
	struct pv_error *reterr)
{
	struct shared *f = far->shared;
	f->keeps = record && !pipe;
	if (f->keeps) {
		int fd = open(record, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		snprintf(f->log, sizeof f->log, "%s", record);
		if (fd < 0 || strlen(record) >= sizeof f->log)
			return pv_fail(reterr, PV_EUSAGE, 0, "--record %s: %s", PV_FIT(record, 100),
				strerror(fd < 0 ? errno : ENAMETOOLONG));
		close(fd);
		return true;
	}
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *at = getenv("TMPDIR");
	at = at && *at ? at : "/tmp";
	int n = snprintf(f->folder, sizeof f->folder, "%s/profview.XXXXXX", at);
	if ((size_t)n >= sizeof f->folder || !mkdtemp(f->folder)) {
		f->folder[0] = '\0';
		return pv_fail(reterr, PV_EIO, 0, "%s: %s", PV_FIT(at, 100), strerror(errno));
	}
	snprintf(f->log, sizeof f->log, "%s/%.*s", f->folder, NAME_MAX, *name ? name : "log");
	if (!pipe)
		return true;
	if (mkfifo(f->log, 0600) == 0)
		far->read_end = open(f->log, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return far->read_end >= 0 || pv_fail(reterr, PV_EIO, 0, "%s: %s", f->log, strerror(errno));
}

static void remove_place(const struct shared *f)
{
	if (f->log[0] && !f->keeps)
		unlink(f->log);
	if (f->folder[0])
		rmdir(f->folder);
}

/*
 * The carrier's process: begins once the place is made, and stays as long as the viewer. A viewer
 * that was killed shows by the closed end of the link.
 */
static void carry(struct shared *f, const struct pv_carrier *c, struct pv_way *w)
{
	char go;
	signal(SIGINT, SIG_IGN), signal(SIGTSTP, SIG_IGN), signal(SIGHUP, SIG_IGN);
	setpgid(0, 0);
	prctl(PR_SET_NAME, "profview-carry");
	if (read(c->link, &go, 1) == 1)
		pv_carry(c, w);
	else
		pv_way_close(w);
	atomic_store(&f->over, true);
	while (read(c->link, &go, 1) > 0 || errno == EINTR)
		errno = 0;
	if (!atomic_load(&f->carried.leaves))
		remove_place(f);
	_exit(0);
}

static bool start_carrier(
	struct ui_far *far, struct pv_carrier *c, struct pv_way *w, struct pv_error *reterr)
{
	int link[2];
	struct shared *f =
		mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link))
		return pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
	far->shared = f;
	far->link = link[0];
	c->link = link[1];
	c->carried = &f->carried;
	c->into = f->log;
	far->carrier = fork();
	if (far->carrier == 0) {
		close(link[0]);
		carry(f, c, w);
	}
	close(link[1]);
	close(w->to), close(w->from), close(w->err);
	return far->carrier > 0 || pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
}

/*
 * Waits until the log has begun; false: never. `waits`: a file may come later, and the screen
 * waits.
 */
static bool has_begun(struct ui_far *f, bool waits)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	const struct pv_carried *got = &f->shared->carried;
	while (!waits && atomic_load(&got->bytes) == 0 && !atomic_load(&f->shared->over))
		nanosleep(&nap, NULL);
	return waits || atomic_load(&got->bytes) > 0;
}

/* Prints the relay's last words, of a recording without the program's; a failure there is the exit code. */
static int end_far(struct ui_far *f, const char *where, bool records, int code)
{
	atomic_store(&f->shared->carried.leaves, true);
	shutdown(f->link, SHUT_RDWR); /* other children may have the link, too */
	close(f->link);
	if (f->read_end >= 0)
		close(f->read_end);
	waitpid(f->carrier, NULL, 0);
	struct pv_carried *got = &f->shared->carried;
	got->said[sizeof got->said - 1] = '\0';
	char *rest = got->said, *line;
	while ((line = strtok_r(rest, "\n", &rest)))
		if (is_our_line(line) || !records)
			complain(where, line);
	unsigned breaks = atomic_load(&got->breaks);
	if (breaks)
		ui_complain(where, "the line broke %u times and was made again", breaks);
	int there = atomic_load(&got->code);
	if (there > 0 && (code == 0 || code == EXIT_INPUT))
		code = there;
	return code;
}

static int run_screen(struct pv_carrier *c, struct pv_way *w, const struct ui_options *o,
	int (*view)(const struct ui_options *o))
{
	struct pv_error err = { 0 };
	struct ui_far far = { .read_end = -1 };
	struct ui_options here = *o;
	if (!start_carrier(&far, c, w, &err))
		return ui_exit_complain(NULL, &err);
	bool made =
		make_place(&far, c->path ? c->path : "remote.mlpd", o->record, !c->goes_on, &err);
	if (!made || !pv_remote_write(far.link, "", 1)) {
		int code = end_far(&far, c->way.where, !c->path, ui_exit_complain(NULL, &err));
		remove_place(far.shared);
		return code;
	}
	here.verb = UI_VERB_VIEW;
	here.path = far.shared->log;
	here.follow = true;
	here.far = &far;
	here.record = far.shared->keeps ? NULL : o->record;
	int code = has_begun(&far, c->path && c->goes_on) ? view(&here) : EXIT_INPUT;
	code = end_far(&far, c->way.where, !c->path, code);
	remove_place(far.shared);
	return code;
}

int ui_on_run(int argc, char *const argv[], const struct ui_options *o,
	int (*view)(const struct ui_options *o))
{
	struct pv_error err = { 0 };
	struct pv_way way;
	bool screen = o->verb & (UI_VERB_VIEW | UI_VERB_RUN | UI_VERB_ATTACH | UI_VERB_LISTEN);
	struct pv_carrier c = { .way = { .where = o->on, .send = o->send },
		.path = o->verb == UI_VERB_VIEW ? o->path : NULL,
		.goes_on = o->follow,
		.link = -1 };
	char *words = ui_on_words(argc, argv, o, screen, &c.words_n);
	if (c.path && strlen(c.path) >= PATH_MAX)
		pv_fail(&err, PV_EUSAGE, 0, "the path is too long for --on");
	else if (o->n_joins > 1)
		pv_fail(&err, PV_EUSAGE, 0, "--on: one process at a time");
	else if (words && c.words_n > PV_FRAME_MOST)
		pv_fail(&err, PV_EUSAGE, 0, "the command line is too long for --on");
	else if (!words)
		pv_fail(&err, PV_ENOMEM, 0, "out of memory");
	c.words = words;
	if (err.code || !pv_way_open(&way, &c.way, &err)) {
		free(words);
		return ui_exit_complain(NULL, &err);
	}
	int code = screen ? run_screen(&c, &way, o, view) : run_text(&way, o->on, words, c.words_n);
	if (!screen)
		pv_way_close(&way);
	free(words);
	return code;
}

/* Words of the tests': a smaller bound of what is kept. */
static bool is_bound(int argc, char *const argv[], struct pv_keep *most)
{
	if (argc != 5 || strcmp(argv[2], "--keep") != 0)
		return false;
	most->seconds = (unsigned)strtoul(argv[3], NULL, 10);
	most->bytes = strtoull(argv[4], NULL, 10);
	return true;
}

int ui_on_serve(int argc, char *const argv[])
{
	struct pv_keep most = { .seconds = PV_KEEP_SECONDS, .bytes = PV_KEEP_BYTES };
	if (argc == 4 && strcmp(argv[2], "--unlink") == 0)
		pv_serve_unlink(argv[3]);
	else if (argc != 2 && !is_bound(argc, argv, &most))
		return EXIT_USAGE;
	return pv_serve(STDIN_FILENO, STDOUT_FILENO, PV_VERSION, &most) ? 0 : EXIT_OWN;
}

/* SPDX-License-Identifier: MIT */
/* The terminal in use by ncurses: opened, drawn on, given back. */
#include "tui/terminal/term.h"

#include <errno.h>
#include <langinfo.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "tui/terminal/crash.h"
#include "tui/terminal/ground.h"
#include "tui/terminal/paint.h"
#include "tui/terminal/term_parts.h"

enum { OWED_S = 5 };

/* Columns beyond 223 in what the mouse says, and marks around what is pasted; and no more. */
static const char asks[] = "\033[?1006h\033[?2004h";
static const char asks_no_more[] = "\033[?2004l\033[?1006l";

static void tell_terminal(struct ui_term *t, const char *text)
{
	ui_term_out_flush(&t->out);
	ssize_t n = write(t->out.tty, text, strlen(text));
	(void)n;
}

bool ui_term_unicode(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool ui_term_hues(const struct ui_term *t)
{
	return t->paint.hues;
}

bool ui_term_is_console(void)
{
	const char *name = getenv("TERM");
	return name && strncmp(name, "linux", 5) == 0;
}

static bool wants_colour(enum ui_color wish)
{
	const char *no_color = getenv("NO_COLOR");
	return wish == UI_COLOR_ALWAYS || (wish == UI_COLOR_AUTO && !(no_color && no_color[0]));
}

/* Ctrl-S does not stop the screen, Ctrl-\ is a key without meaning. */
static void take_control_keys(const struct ui_term *t)
{
	struct termios now;
	if (tcgetattr(t->fd, &now) != 0)
		return;
	now.c_iflag &= ~(tcflag_t)IXON;
	now.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(t->fd, TCSANOW, &now);
	def_prog_mode();
}

/* Puts back, for curses to read first, input that came during the question about the background. */
static void give_back(const struct ui_ground_answer *a)
{
	for (size_t i = a->n; i-- > 0;)
		ungetch((unsigned char)a->other[i]);
}

static void set_up(struct ui_term *t, const struct ui_ground_answer *answer)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	typeahead(-1); /* a key pressed meanwhile does not leave half a frame */
	set_escdelay(ESC_DELAY_MS);
	mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	take_control_keys(t);
	tell_terminal(t, asks);
	t->out.marks = !ui_term_is_console();
	t->out.asks = true;
	give_back(answer);
	if (answer->owed) {
		clock_gettime(CLOCK_MONOTONIC, &t->owed_until);
		t->owed_until.tv_sec += OWED_S;
	}
}

static bool can_draw(struct pv_error *reterr)
{
	const char *cup = tigetstr("cup");
	if (cup && cup != (char *)-1)
		return true;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"the terminal (TERM=%s) cannot move its cursor; profview report FILE prints text",
		getenv("TERM") ? getenv("TERM") : "");
}

/*
 * curses handles SIGTSTP itself only if the action is the default, and then loses a stop that comes
 * during a write. So the signal is ignored while the screen is made.
 */
static SCREEN *new_screen(FILE *out, FILE *in)
{
	struct sigaction taken = { .sa_handler = SIG_IGN }, before;
	sigaction(SIGTSTP, &taken, &before);
	SCREEN *screen = newterm(NULL, out, in);
	sigaction(SIGTSTP, &before, NULL);
	return screen;
}

static bool refuse_term(const char *name, struct pv_error *reterr)
{
	if (!name || !name[0])
		return pv_fail(reterr, PV_EUSAGE, 0,
			"TERM is not set, so the terminal is unknown;"
			" profview report FILE prints text");
	return pv_fail(reterr, PV_EUSAGE, 0,
		"the terminal (TERM=%s) is unknown here; profview report FILE prints text", name);
}

bool ui_term_known(struct pv_error *reterr)
{
	const char *name = getenv("TERM");
	int found = 0;
	if (!name || !name[0] || setupterm(name, STDOUT_FILENO, &found) != OK)
		return refuse_term(name, reterr);
	const bool can = can_draw(reterr);
	del_curterm(cur_term);
	return can;
}

static bool open_terminal(struct ui_term *t, const struct ui_term_options *o,
	struct ui_ground_answer *ret, struct pv_error *reterr)
{
	const char *name = getenv("TERM");
	if (!name || !name[0])
		return refuse_term(name, reterr);
	if (o->keys_from_tty && !(t->in = fopen("/dev/tty", "r")))
		return pv_fail(
			reterr, PV_EIO, 0, "cannot read keys from /dev/tty: %s", strerror(errno));
	t->fd = t->in ? fileno(t->in) : STDIN_FILENO;
	ui_crash_save(t->fd);
	if (!ui_term_out_open(&t->out, STDOUT_FILENO))
		return pv_fail(
			reterr, PV_EIO, 0, "cannot write to the terminal: %s", strerror(errno));
	if (!ui_term_known(reterr))
		return false;
	const bool asked = wants_colour(o->color) && o->background == UI_BACKGROUND_AUTO;
	if (asked)
		ui_ground_ask(t->fd, t->out.tty, ret);
	t->screen = new_screen(t->out.file, t->in ? t->in : stdin);
	if (!t->screen)
		return refuse_term(name, reterr);
	set_term(t->screen);
	if (can_draw(reterr))
		return true;
	endwin();
	return false;
}

static enum ui_ground ground_of(enum ui_background wish, const struct ui_ground_answer *a)
{
	if (wish != UI_BACKGROUND_AUTO)
		return wish == UI_BACKGROUND_LIGHT ? UI_GROUND_LIGHT : UI_GROUND_DARK;
	return a->known ? a->ground : ui_ground_of_environment();
}

struct ui_term *ui_term_open(const struct ui_term_options *options, struct pv_error *reterr)
{
	struct ui_ground_answer answer = { .n = 0 };
	struct ui_term *t = calloc(1, sizeof *t);
	if (!t) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	if (!open_terminal(t, options, &answer, reterr)) {
		if (t->screen)
			delscreen(t->screen);
		ui_term_out_close(&t->out);
		if (t->in)
			fclose(t->in);
		free(t);
		return NULL;
	}
	set_up(t, &answer);
	ui_paint_open(&t->paint, options->theme, ground_of(options->background, &answer),
		wants_colour(options->color));
	ui_crash_arm(STDOUT_FILENO);
	t->repaint = true;
	return t;
}

/* Waits for answers still owed: a later answer would be typed into the shell. */
static void hear_out(struct ui_term *t)
{
	enum { LAST_MS = 500, FIRST_MS = 100 };
	struct ui_mouse m;
	const int64_t until =
		ui_term_now_ns() + (t->out.heard ? LAST_MS : FIRST_MS) * INT64_C(1000000);
	ui_term_out_flush(&t->out);
	while (t->out.asked > 0 && ui_term_now_ns() < until) {
		struct pollfd p = { .fd = t->fd, .events = POLLIN };
		if (poll(&p, 1, (int)((until - ui_term_now_ns()) / 1000000) + 1) <= 0 ||
			p.revents & ~POLLIN)
			break;
		while (ui_term_key(t, &m) != UI_KEY_NONE)
			;
	}
	t->out.asked = 0;
}

void ui_term_close(struct ui_term *t)
{
	if (!t)
		return;
	ui_crash_disarm();
	hear_out(t);
	tell_terminal(t, asks_no_more);
	if (!isendwin())
		endwin();
	delscreen(t->screen);
	ui_term_out_close(&t->out);
	if (t->in)
		fclose(t->in);
	ui_canvas_finish(&t->shown);
	free(t);
}

int ui_term_fd(const struct ui_term *t)
{
	return t->fd;
}

bool ui_term_gone(const struct ui_term *t)
{
	enum { HOPELESS = 1000 };
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0 &&
	       (p.revents & (POLLHUP | POLLERR | POLLNVAL) || t->empty_reads > HOPELESS);
}

/* --- picture --- */

void ui_term_size(struct ui_term *t, int *ret_w, int *ret_h)
{
	struct winsize size;
	(void)t;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
		resizeterm(size.ws_row, size.ws_col);
	*ret_w = COLS;
	*ret_h = LINES;
}

static void put_screen_cell(const struct ui_term *t, int y, int x, const struct ui_cell *cell)
{
	wchar_t text[2 + PV_SHOWN_MARKS] = { (wchar_t)ui_paint_code(&t->paint, cell) };
	for (size_t i = 0; i < PV_SHOWN_MARKS; i++)
		text[1 + i] = (wchar_t)cell->mark[i];
	const struct ui_brush *brush = ui_paint_brush(&t->paint, cell);
	cchar_t out;
	int pair = brush->pair;
	if (setcchar(&out, text, brush->attrs, (short)pair, &pair) == OK)
		mvadd_wch(y, x, &out);
}

static bool same_cell(const struct ui_cell *a, const struct ui_cell *b)
{
	return a->code == b->code && memcmp(a->mark, b->mark, sizeof a->mark) == 0 &&
	       a->cells == b->cells && a->style == b->style && a->bits == b->bits;
}

/* Puts a row's changed cells into curses' screen. Returns roughly their number of bytes. */
static size_t put_screen_row(struct ui_term *t, const struct ui_canvas *c, int y, bool all)
{
	enum { MOVE = 6, COLOUR = 10 };
	const struct ui_cell *row = &c->cell[(size_t)y * (size_t)c->w];
	struct ui_cell *shown = &t->shown.cell[(size_t)y * (size_t)c->w];
	size_t bytes = 0;
	int last = -1;
	for (int x = 0; x < c->w; x++) {
		if (!all && same_cell(&row[x], &shown[x]))
			continue;
		shown[x] = row[x];
		if (row[x].cells == 0)
			continue;
		put_screen_cell(t, y, x, &row[x]);
		const bool goes_on = last >= 0 && last + 1 == x;
		bytes += (goes_on ? 0U : MOVE) + (row[x].code < 0x80 ? 1U : 3U) +
			 (goes_on && row[last].style == row[x].style ? 0U : COLOUR);
		last = x;
	}
	return bytes;
}

/* Sends changed rows from `y` on, on a slow line only some. Returns the next row. */
static int send_rows(struct ui_term *t, const struct ui_canvas *c, int y, bool all)
{
	const size_t most = t->out.slow && !all ? UI_PIECE : SIZE_MAX;
	size_t bytes = 0;
	while (y < c->h && bytes < most)
		bytes += put_screen_row(t, c, y++, all);
	ui_term_out_begin(&t->out);
	refresh();
	ui_term_out_end(&t->out, ui_term_now_ns());
	return y;
}

bool ui_term_draw(struct ui_term *t, const struct ui_canvas *c)
{
	bool all = t->repaint || t->shown.w != c->w || t->shown.h != c->h;
	if (all && !ui_canvas_resize(&t->shown, c->w, c->h))
		return true;
	if (all)
		clearok(curscr, TRUE);
	t->repaint = false;
	int y = send_rows(t, c, 0, all);
	while (y < c->h && ui_term_out_has_room(&t->out))
		y = send_rows(t, c, y, all);
	return y >= c->h;
}

bool ui_term_has_room(const struct ui_term *t)
{
	return ui_term_out_has_room(&t->out);
}

int64_t ui_term_wait(struct ui_term *t, bool hasty)
{
	return ui_term_out_wait(&t->out, hasty, ui_term_now_ns());
}

int ui_term_out_fd(const struct ui_term *t)
{
	return t->out.quick;
}

bool ui_term_drain(struct ui_term *t)
{
	return ui_term_out_more(&t->out);
}

void ui_term_repaint(struct ui_term *t)
{
	t->repaint = true;
}

void ui_term_suspend(struct ui_term *t)
{
	ui_crash_pause(true);
	hear_out(t);
	tell_terminal(t, asks_no_more);
	endwin();
}

void ui_term_resume(struct ui_term *t)
{
	ui_crash_pause(false);
	t->repaint = true;
	refresh();
	tell_terminal(t, asks);
}

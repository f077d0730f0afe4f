#include "tui/app/term.h"

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

#include "tui/app/term_out.h"
#include "tui/draw/theme.h"

enum { ESC_DELAY_MS = 25, DOUBLE_CLICK_MS = 400 };

struct ui_term {
	SCREEN *screen;
	FILE *in; /* /dev/tty, or NULL: standard input */
	struct ui_term_out out;
	int fd;
	int colors;
	enum ui_theme theme;
	struct ui_canvas shown; /* the terminal's present contents */
	bool repaint;
	int click_x, click_y;
	struct timespec click_time;
	unsigned empty_reads;
	bool pasting; /* between the marks of pasted text */
};

/*
 * State that a crash handler needs, prepared beforehand. Handlers get no argument, so this is the
 * one global of the screen.
 */
static struct {
	volatile sig_atomic_t armed;
	int fd;
	struct termios saved;
	char restore[256];
	size_t restore_len;
} crash;

/* Columns beyond 223 in what the mouse says, and marks around what is pasted; and no more. */
static const char asks[] = "\033[?1006h\033[?2004h";
static const char asks_no_more[] = "\033[?2004l\033[?1006l";

static void tell(const struct ui_term *t, const char *text)
{
	ssize_t n = write(t->out.tty, text, strlen(text));
	(void)n;
}

static void on_crash(int sig)
{
	if (crash.armed) {
		crash.armed = 0;
		ssize_t n = write(crash.fd, crash.restore, crash.restore_len);
		(void)n;
		tcsetattr(crash.fd, TCSANOW, &crash.saved);
		const char *text =
			sig == SIGQUIT
				? "profview: ended by SIGQUIT; the log is unharmed\n"
				: "profview: ended by a fault of its own; the log is unharmed\n";
		n = write(STDERR_FILENO, text, strlen(text));
		(void)n;
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

static void add_restore(const char *capability)
{
	const char *text = tigetstr(capability);
	if (!text || text == (char *)-1)
		return;
	size_t len = strlen(text);
	if (crash.restore_len + len > sizeof crash.restore)
		return;
	memcpy(crash.restore + crash.restore_len, text, len);
	crash.restore_len += len;
}

static void arm_crash(int fd)
{
	static const char mouse_off[] = "\033[?1000l\033[?1006l\033[?2004l";
	crash.fd = fd;
	crash.restore_len = 0;
	add_restore("sgr0");
	add_restore("cnorm");
	add_restore("rmkx");
	add_restore("rmcup");
	if (crash.restore_len + sizeof mouse_off < sizeof crash.restore) {
		memcpy(crash.restore + crash.restore_len, mouse_off, sizeof mouse_off - 1);
		crash.restore_len += sizeof mouse_off - 1;
	}
	crash.armed = 1;
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };
	for (size_t i = 0; i < PV_COUNT_OF(crash_signals); i++)
		sigaction(crash_signals[i], &sa, NULL);
}

static void disarm_crash(void)
{
	crash.armed = 0;
	for (size_t i = 0; i < PV_COUNT_OF(crash_signals); i++)
		signal(crash_signals[i], SIG_DFL);
}

bool ui_term_unicode(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool ui_term_is_console(void)
{
	const char *name = getenv("TERM");
	return name && strncmp(name, "linux", 5) == 0;
}

static int colors_of(enum ui_color wish)
{
	const char *no_color = getenv("NO_COLOR");
	if (wish == UI_COLOR_NEVER || (wish == UI_COLOR_AUTO && no_color && no_color[0]))
		return 0;
	if (!has_colors() || start_color() == ERR)
		return 0;
	use_default_colors();
	return COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
}

static attr_t attributes(unsigned attrs)
{
	return (attrs & UI_BOLD ? A_BOLD : 0) | (attrs & UI_FAINT ? A_DIM : 0) |
	       (attrs & UI_REVERSE ? A_REVERSE : 0) | (attrs & UI_UNDERLINE ? A_UNDERLINE : 0);
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

static void set_up(struct ui_term *t, const struct ui_term_options *options)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	typeahead(-1); /* a key that comes meanwhile does not leave half a frame */
	set_escdelay(ESC_DELAY_MS);
	mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	take_control_keys(t);
	tell(t, asks);
	t->colors = colors_of(options->color);
	t->theme = options->theme;
	for (int style = 0; t->colors && style < UI_STYLE_COUNT; style++) {
		struct ui_style_look look =
			ui_theme_look(t->theme, (enum ui_style)style, t->colors);
		init_pair((short)(style + 1), look.fg, look.bg);
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
 * curses would ignore SIGTSTP while it writes, and so lose one that comes then. It leaves the
 * signal as it is when it finds it taken.
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

static bool open_terminal(
	struct ui_term *t, const struct ui_term_options *o, struct pv_error *reterr)
{
	const char *name = getenv("TERM");
	if (!name || !name[0])
		return refuse_term(name, reterr);
	if (o->keys_from_tty && !(t->in = fopen("/dev/tty", "r")))
		return pv_fail(
			reterr, PV_EIO, 0, "cannot read keys from /dev/tty: %s", strerror(errno));
	t->fd = t->in ? fileno(t->in) : STDIN_FILENO;
	tcgetattr(t->fd, &crash.saved);
	if (!ui_term_out_open(&t->out, STDOUT_FILENO))
		return pv_fail(
			reterr, PV_EIO, 0, "cannot write to the terminal: %s", strerror(errno));
	t->screen = new_screen(t->out.file, t->in ? t->in : stdin);
	if (!t->screen)
		return refuse_term(name, reterr);
	set_term(t->screen);
	if (can_draw(reterr))
		return true;
	endwin();
	return false;
}

struct ui_term *ui_term_open(const struct ui_term_options *options, struct pv_error *reterr)
{
	struct ui_term *t = calloc(1, sizeof *t);
	if (!t) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	if (!open_terminal(t, options, reterr)) {
		if (t->screen)
			delscreen(t->screen);
		ui_term_out_close(&t->out);
		if (t->in)
			fclose(t->in);
		free(t);
		return NULL;
	}
	set_up(t, options);
	arm_crash(STDOUT_FILENO);
	t->repaint = true;
	return t;
}

void ui_term_close(struct ui_term *t)
{
	if (!t)
		return;
	disarm_crash();
	tell(t, asks_no_more);
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

/* --- keys --- */

static int special(int code)
{
	static const struct {
		int code, key;
	} map[] = {
		{ KEY_UP, UI_KEY_UP },
		{ KEY_DOWN, UI_KEY_DOWN },
		{ KEY_LEFT, UI_KEY_LEFT },
		{ KEY_RIGHT, UI_KEY_RIGHT },
		{ KEY_HOME, UI_KEY_HOME },
		{ KEY_END, UI_KEY_END },
		{ KEY_PPAGE, UI_KEY_PGUP },
		{ KEY_NPAGE, UI_KEY_PGDN },
		{ KEY_DC, UI_KEY_DEL },
		{ KEY_BTAB, UI_KEY_BACKTAB },
		{ KEY_BACKSPACE, UI_KEY_BACKSPACE },
		{ KEY_ENTER, UI_KEY_ENTER },
		{ KEY_MOUSE, UI_KEY_MOUSE },
	};
	for (size_t i = 0; i < PV_COUNT_OF(map); i++)
		if (map[i].code == code)
			return map[i].key;
	if (code > KEY_F0 && code <= KEY_F0 + 12)
		return UI_KEY_F0 + (code - KEY_F0);
	return UI_KEY_NONE;
}

static bool is_double(struct ui_term *t, int x, int y)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long ms = (long)(now.tv_sec - t->click_time.tv_sec) * 1000 +
		  (now.tv_nsec - t->click_time.tv_nsec) / 1000000;
	bool again = x == t->click_x && y == t->click_y && ms < DOUBLE_CLICK_MS;
	t->click_x = again ? -1 : x; /* a third click begins anew */
	t->click_y = y;
	t->click_time = now;
	return again;
}

static bool mouse(struct ui_term *t, struct ui_mouse *ret)
{
	MEVENT e;
	if (getmouse(&e) != OK)
		return false;
	*ret = (struct ui_mouse){ .x = e.x, .y = e.y };
	if (e.bstate & BUTTON4_PRESSED)
		ret->click = UI_CLICK_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		ret->click = UI_CLICK_WHEEL_DOWN;
	else if (e.bstate & BUTTON1_PRESSED)
		ret->click = is_double(t, e.x, e.y) ? UI_CLICK_DOUBLE : UI_CLICK_PRESS;
	else if (e.bstate & BUTTON1_RELEASED)
		ret->click = UI_CLICK_RELEASE;
	else
		return false;
	return true;
}

/* "<0;12;34M" of a mouse that says its place in digits. */
static bool mouse_in_digits(struct ui_term *t, const char *text, struct ui_mouse *ret)
{
	unsigned button;
	char end;
	if (sscanf(text, "<%u;%d;%d%c", &button, &ret->x, &ret->y, &end) != 4)
		return false;
	ret->x--;
	ret->y--;
	button &= ~28U; /* Shift, Alt, Ctrl */
	if (button == 64 || button == 65)
		ret->click = button == 64 ? UI_CLICK_WHEEL_UP : UI_CLICK_WHEEL_DOWN;
	else if (button == 0 && end == 'M')
		ret->click = is_double(t, ret->x, ret->y) ? UI_CLICK_DOUBLE : UI_CLICK_PRESS;
	else if (button == 0)
		ret->click = UI_CLICK_RELEASE;
	return button == 0 || button >= 64;
}

/* The next character of a sequence, which may come in two parts. */
static wint_t next_in_sequence(const struct ui_term *t)
{
	wint_t code;
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	if (get_wch(&code) == OK)
		return code;
	return poll(&p, 1, ESC_DELAY_MS) > 0 && get_wch(&code) == OK ? code : 0;
}

/*
 * After ESC: what curses does not know of the terminal's sequences would act as keys. *ret is what
 * the sequence means, NONE for those unknown here.
 */
static bool take_sequence(struct ui_term *t, struct ui_mouse *ret_mouse, int *ret)
{
	char text[32];
	size_t n = 0;
	wint_t code;
	if (get_wch(&code) != OK)
		return false;
	if (code != '[') {
		unget_wch((wchar_t)code);
		return false;
	}
	do {
		code = next_in_sequence(t);
		if (n + 1 < sizeof text)
			text[n++] = (char)(code < 128 ? code : '?');
	} while (code >= ' ' && code < '@');
	text[n] = 0;
	if (strcmp(text, "200~") == 0 || strcmp(text, "201~") == 0)
		t->pasting = text[2] == '0';
	*ret = mouse_in_digits(t, text, ret_mouse) ? UI_KEY_MOUSE : UI_KEY_NONE;
	return true;
}

bool ui_term_pasted(const struct ui_term *t)
{
	return t->pasting;
}

int ui_term_key(struct ui_term *t, struct ui_mouse *ret_mouse)
{
	for (;;) {
		wint_t code;
		int r = get_wch(&code);
		if (r == ERR) {
			t->empty_reads++;
			return UI_KEY_NONE;
		}
		t->empty_reads = 0;
		int key = r == KEY_CODE_YES              ? special((int)code)
			  : code == '\n' || code == '\r' ? UI_KEY_ENTER
			  : code == 8                    ? UI_KEY_BACKSPACE
							 : (int)code;
		if (key == UI_KEY_MOUSE && !mouse(t, ret_mouse))
			continue;
		if (key == UI_KEY_ESC && take_sequence(t, ret_mouse, &key) && key == UI_KEY_NONE)
			continue;
		if (key == UI_KEY_ESC)
			t->pasting = false; /* whatever has become of the mark of its end */
		if (key != UI_KEY_NONE)
			return key;
	}
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

static void put_cell(const struct ui_term *t, int y, int x, const struct ui_cell *cell)
{
	wchar_t text[2 + PV_SHOWN_MARKS] = { (wchar_t)cell->code };
	for (size_t i = 0; i < PV_SHOWN_MARKS; i++)
		text[1 + i] = (wchar_t)cell->mark[i];
	struct ui_style_look look = ui_theme_look(t->theme, (enum ui_style)cell->style, t->colors);
	cchar_t out;
	short pair = t->colors ? (short)(cell->style + 1) : 0;
	if (setcchar(&out, text, attributes(look.attrs), pair, NULL) == OK)
		mvadd_wch(y, x, &out);
}

static bool same(const struct ui_cell *a, const struct ui_cell *b)
{
	return a->code == b->code && memcmp(a->mark, b->mark, sizeof a->mark) == 0 &&
	       a->cells == b->cells && a->style == b->style;
}

void ui_term_draw(struct ui_term *t, const struct ui_canvas *c)
{
	bool all = t->repaint || t->shown.w != c->w || t->shown.h != c->h;
	if (all && !ui_canvas_resize(&t->shown, c->w, c->h))
		return;
	if (all)
		clearok(curscr, TRUE);
	for (int y = 0; y < c->h; y++) {
		for (int x = 0; x < c->w; x++) {
			size_t i = (size_t)y * (size_t)c->w + (size_t)x;
			if (!all && same(&c->cell[i], &t->shown.cell[i]))
				continue;
			t->shown.cell[i] = c->cell[i];
			if (c->cell[i].cells > 0)
				put_cell(t, y, x, &c->cell[i]);
		}
	}
	t->repaint = false;
	ui_term_out_begin(&t->out);
	refresh();
	ui_term_out_end(&t->out);
}

void ui_term_repaint(struct ui_term *t)
{
	t->repaint = true;
}

void ui_term_suspend(struct ui_term *t)
{
	crash.armed = 0;
	tell(t, asks_no_more);
	endwin();
}

void ui_term_resume(struct ui_term *t)
{
	crash.armed = 1;
	t->repaint = true;
	refresh();
	tell(t, asks);
}

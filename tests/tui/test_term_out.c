/* SPDX-License-Identifier: MIT */
/* A frame reaches the terminal in one piece, whole and in order. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/kit/suite.h"
#include "tui/terminal/squeeze.h"
#include "tui/terminal/term_out.h"

enum { DEADLINE_MS = 30000, LARGE = 200000 };

struct pair {
	int outside, tty;
};

static struct pair open_pair(void)
{
	struct pair p = { .outside = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };
	struct termios mode;
	ck_assert_int_ge(p.outside, 0);
	ck_assert_int_eq(grantpt(p.outside), 0);
	ck_assert_int_eq(unlockpt(p.outside), 0);
	p.tty = open(ptsname(p.outside), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(p.tty, 0);
	ck_assert_int_eq(tcgetattr(p.tty, &mode), 0);
	mode.c_oflag &= (tcflag_t)~OPOST;
	ck_assert_int_eq(tcsetattr(p.tty, TCSANOW, &mode), 0);
	return p;
}

static bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, ms) > 0;
}

static void say(struct ui_term_out *o, const char *text)
{
	ck_assert_int_eq(write(fileno(o->file), text, strlen(text)), (ssize_t)strlen(text));
}

static void expect(const struct pair *p, const char *text)
{
	char got[100] = { 0 };
	ck_assert(readable(p->outside, DEADLINE_MS));
	ck_assert_int_gt(read(p->outside, got, sizeof got - 1), 0);
	ck_assert_str_eq(got, text);
}

START_TEST(a_frame_comes_in_one_piece)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	ck_assert(ui_term_out_open(&o, p.tty));
	ck_assert(isatty(fileno(o.file)));
	say(&o, "before ");
	expect(&p, "before ");
	for (int i = 0; i < 3; i++) {
		ui_term_out_begin(&o);
		say(&o, "one ");
		say(&o, "two ");
		ck_assert(!readable(p.outside, 0));
		say(&o, "three");
		ui_term_out_end(&o, 0);
		expect(&p, "one two three");
	}
	say(&o, "after");
	expect(&p, "after");
	ui_term_out_close(&o);
	ck_assert(!isatty(o.tty));
	close(p.tty);
	close(p.outside);
}
END_TEST

static void *draw(void *arg)
{
	struct ui_term_out *o = arg;
	ui_term_out_begin(o);
	for (int i = 0; i < LARGE; i++)
		if (write(fileno(o->file), &"abc"[i % 3], 1) != 1)
			return arg;
	ui_term_out_end(o, 0);
	ui_term_out_flush(o);
	return NULL;
}

/* More than a terminal takes at once, and one that somebody else made non-blocking. */
START_TEST(a_slow_terminal_gets_all_of_it)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	pthread_t thread;
	void *failed;
	char got[4096];
	size_t n = 0;
	ck_assert_int_eq(fcntl(p.tty, F_SETFL, fcntl(p.tty, F_GETFL) | O_NONBLOCK), 0);
	ck_assert(ui_term_out_open(&o, p.tty));
	ck_assert_int_eq(pthread_create(&thread, NULL, draw, &o), 0);
	while (n < LARGE && readable(p.outside, DEADLINE_MS)) {
		ssize_t more = read(p.outside, got, sizeof got);
		ck_assert_int_gt(more, 0);
		for (ssize_t i = 0; i < more; i++)
			ck_assert_int_eq(got[i], "abc"[(n + (size_t)i) % 3]);
		n += (size_t)more;
	}
	ck_assert_int_eq(pthread_join(thread, &failed), 0);
	ck_assert_ptr_null(failed);
	ck_assert_uint_eq(n, LARGE);
	ui_term_out_close(&o);
	close(p.tty);
	close(p.outside);
}
END_TEST

/* While no one reads, the frame is kept and the caller goes on; the rest follows afterwards. */
START_TEST(a_line_that_takes_nothing_is_not_waited_for)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	char got[4096];
	size_t n = 0;
	ck_assert(ui_term_out_open(&o, p.tty));
	ck_assert_int_ge(o.quick, 0);
	ui_term_out_begin(&o);
	for (int i = 0; i < LARGE; i++)
		ck_assert_int_eq(write(fileno(o.file), &"abc"[i % 3], 1), 1);
	ui_term_out_end(&o, 0);
	ck_assert(!ui_term_out_more(&o));
	ck_assert_int_gt(ui_term_out_wait(&o, false, 0), 0);
	ck_assert_int_gt(ui_term_out_wait(&o, true, 0), 0);
	ck_assert(!(fcntl(p.tty, F_GETFL) & O_NONBLOCK)); /* nor is it changed for others */
	while (n < LARGE && readable(p.outside, DEADLINE_MS)) {
		ssize_t more = read(p.outside, got, sizeof got);
		ck_assert_int_gt(more, 0);
		for (ssize_t i = 0; i < more; i++)
			ck_assert_int_eq(got[i], "abc"[(n + (size_t)i) % 3]);
		n += (size_t)more;
		ui_term_out_more(&o);
	}
	ck_assert_uint_eq(n, LARGE);
	ck_assert(ui_term_out_more(&o));
	ck_assert_int_eq(ui_term_out_wait(&o, false, 0), 0);
	ui_term_out_close(&o);
	close(p.tty);
	close(p.outside);
}
END_TEST

static void frame(struct ui_term_out *o, const char *text, int64_t now_ns)
{
	ui_term_out_begin(o);
	say(o, text);
	ui_term_out_end(o, now_ns);
}

START_TEST(a_picture_is_marked_and_an_empty_one_is_none)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	ck_assert(ui_term_out_open(&o, p.tty));
	o.marks = o.asks = true;
	frame(&o, "", 0);
	ck_assert(!readable(p.outside, 0));
	frame(&o, "a", 0);
	expect(&p, "\033[?2026ha\033[?2026l\033[5n");
	o.marks = o.asks = false;
	frame(&o, "b", 0);
	expect(&p, "b");
	ui_term_out_close(&o);
	close(p.tty);
	close(p.outside);
}
END_TEST

/* One frame at a time, of keys three; an answer that is lost, or never comes, stops nothing. */
START_TEST(frames_are_as_many_as_are_answered)
{
	const int64_t s = INT64_C(1000000000);
	struct pair p = open_pair();
	struct ui_term_out o;
	ck_assert(ui_term_out_open(&o, p.tty));
	o.asks = true;
	ck_assert_int_eq(ui_term_out_wait(&o, false, s), 0);
	frame(&o, "a", s);
	ck_assert_int_gt(ui_term_out_wait(&o, false, s), 0);
	ck_assert_int_eq(ui_term_out_wait(&o, true, s), 0);
	ui_term_out_answered(&o, s);
	ck_assert_int_eq(ui_term_out_wait(&o, false, s), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ui_term_out_wait(&o, true, s), 0);
		frame(&o, "b", s);
	}
	ck_assert_int_gt(ui_term_out_wait(&o, true, s), 0);
	ck_assert_int_gt(ui_term_out_wait(&o, false, 3 * s), 0);
	ck_assert_int_eq(ui_term_out_wait(&o, false, 9 * s), 0);
	ck_assert(o.asks); /* it has answered once */
	ui_term_out_close(&o);

	ck_assert(ui_term_out_open(&o, p.tty));
	o.asks = true;
	frame(&o, "c", s);
	ck_assert_int_eq(ui_term_out_wait(&o, false, 2 * s), 0);
	ck_assert(!o.asks); /* a mute one is not asked for ever */
	ui_term_out_close(&o);
	close(p.tty);
	close(p.outside);
}
END_TEST

/* A line whose answers take long has so much under way that a key finds its place soon. */
START_TEST(a_slow_line_gets_little_at_a_time)
{
	const int64_t s = INT64_C(1000000000);
	static char text[UI_PIECE + 1];
	struct pair p = open_pair();
	struct ui_term_out o;
	int pieces = 1;
	memset(text, 'x', UI_PIECE);
	ck_assert(ui_term_out_open(&o, p.tty));
	o.asks = true;
	frame(&o, "a", s);
	ck_assert(!ui_term_out_has_room(&o)); /* it is not known to be slow */
	ui_term_out_answered(&o, s + s / 3);
	ck_assert(o.slow);
	for (frame(&o, text, 2 * s); ui_term_out_has_room(&o); pieces++)
		frame(&o, text, 2 * s);
	ck_assert_int_ge(pieces, 2);
	ck_assert_int_gt(ui_term_out_wait(&o, false, 2 * s), 0);
	ck_assert_int_eq(ui_term_out_wait(&o, true, 2 * s), 0); /* a key goes before */
	frame(&o, text, 2 * s);
	ck_assert_int_gt(ui_term_out_wait(&o, true, 2 * s), 0); /* not many */
	for (int i = 0; i <= pieces; i++)
		ui_term_out_answered(&o, 2 * s + s / 100);
	ck_assert(!o.slow && o.asked == 0);
	ui_term_out_close(&o);
	close(p.tty);
	close(p.outside);
}
END_TEST

static const char *squeezed(const char *text)
{
	static char buf[200];
	snprintf(buf, sizeof buf, "%s", text);
	buf[ui_squeeze(buf, strlen(buf))] = 0;
	return buf;
}

START_TEST(colours_side_by_side_are_one_sequence)
{
	ck_assert_str_eq(squeezed("s\033[39m\033(B\033[m k"), "s\033[m k");
	ck_assert_str_eq(squeezed("\033(B\033[0;1m\033[38;5;80m\033[48;5;235mx"),
		"\033[0;1;38;5;80;48;5;235mx");
	ck_assert_str_eq(squeezed("\033[31m\033[38;2;1;2;3m\033[4m"), "\033[4;38;2;1;2;3m");
	ck_assert_str_eq(squeezed("\033[39;49m\033[1m"), "\033[1;39;49m");
	ck_assert_str_eq(squeezed("\033[m"), "\033[m");
	ck_assert_str_eq(squeezed("a\033(Bb"), "ab");
	/* As they are stay: other sequences, other forms, another character set. */
	ck_assert_str_eq(squeezed("\033[5;7H\033[K\033[2J"), "\033[5;7H\033[K\033[2J");
	ck_assert_str_eq(squeezed("\033[38:5:9m\033[m"), "\033[38:5:9m\033[m");
	ck_assert_str_eq(squeezed("\033(0q\033(B\033[m"), "\033(0q\033(B\033[m");
	ck_assert_str_eq(squeezed("\033[1"), "\033[1");
	ck_assert_str_eq(squeezed("\033"), "\033");
}
END_TEST

START_TEST(a_terminal_that_is_gone_takes_nothing)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	ck_assert(ui_term_out_open(&o, p.tty));
	close(p.outside);
	ui_term_out_begin(&o);
	say(&o, "nobody sees it");
	ui_term_out_end(&o, 0);
	ui_term_out_close(&o);
	close(p.tty);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("term out");
	TCase *t = tcase_create("term out");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_frame_comes_in_one_piece);
	tcase_add_test(t, a_slow_terminal_gets_all_of_it);
	tcase_add_test(t, a_line_that_takes_nothing_is_not_waited_for);
	tcase_add_test(t, a_picture_is_marked_and_an_empty_one_is_none);
	tcase_add_test(t, frames_are_as_many_as_are_answered);
	tcase_add_test(t, a_slow_line_gets_little_at_a_time);
	tcase_add_test(t, colours_side_by_side_are_one_sequence);
	tcase_add_test(t, a_terminal_that_is_gone_takes_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}

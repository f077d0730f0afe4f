/* A frame reaches the terminal in one piece, whole and in order. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/kit/suite.h"
#include "tui/app/term_out.h"

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
		ui_term_out_end(&o);
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
	ui_term_out_end(o);
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

START_TEST(a_terminal_that_is_gone_takes_nothing)
{
	struct pair p = open_pair();
	struct ui_term_out o;
	ck_assert(ui_term_out_open(&o, p.tty));
	close(p.outside);
	ui_term_out_begin(&o);
	say(&o, "nobody sees it");
	ui_term_out_end(&o);
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
	tcase_add_test(t, a_terminal_that_is_gone_takes_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}

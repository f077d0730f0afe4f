/* SPDX-License-Identifier: MIT */
/* Asks the terminal for its background colour, and keeps keys that come meanwhile. */
#include "tui/terminal/ground.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 100 };

/*
 * OSC 11 asks for the background, DA1 for the attributes that every terminal reports. The answer to
 * DA1 comes after the answer to OSC 11, or in its place, so that a terminal without OSC 11 is not
 * waited for.
 */
static const char question[] = "\033]11;?\033\\\033[c";

/* Signals that end or stop the program wait until the terminal is restored. */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

static double linear(unsigned value, size_t digits)
{
	const double v = value / (pow(16, (double)digits) - 1);
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/*
 * Parses "rgb:1616/1818/1d1d", one to four digits each; light or dark by WCAG's relative luminance.
 */
static bool ground_in(const char *text, enum ui_ground *ret)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double luminance = 0;
	const char *at = strstr(text, "rgb:");
	for (int i = 0; i < 3; i++) {
		if (!at)
			return false;
		at += i ? 1 : 4;
		char *end;
		const size_t digits = strspn(at, "0123456789abcdefABCDEF");
		if (!digits || digits > 4)
			return false;
		luminance += weight[i] * linear((unsigned)strtoul(at, &end, 16), digits);
		at = i < 2 ? strchr(at, '/') : at;
	}
	*ret = luminance > 0.18 ? UI_GROUND_LIGHT : UI_GROUND_DARK;
	return true;
}

/* The end of the escape sequence at `at`; NULL: not complete yet. */
static char *end_of(char *at)
{
	char *bell = strchr(at, '\a'), *st = strstr(at, "\033\\");
	if (at[1] == '[')
		return at[2 + strspn(at + 2, "?0123456789;")]
			       ? at + 3 + strspn(at + 2, "?0123456789;")
			       : NULL;
	if (bell && (!st || bell < st))
		return bell + 1;
	return st ? st + 2 : NULL;
}

/* Cuts a whole answer that begins with `start` out of `text`. */
static bool take_ground_answer(char *text, const char *start, struct ui_ground_answer *ret)
{
	char *at = strstr(text, start), *end = at ? end_of(at) : NULL;
	if (!end)
		return false;
	char answer[64];
	snprintf(answer, sizeof answer, "%.*s", (int)(end - at), at);
	if (start[1] == ']')
		ret->known = ground_in(answer, &ret->ground);
	memmove(at, end, strlen(end) + 1);
	return true;
}

static int ms_since(const struct timespec *begin)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int)((now.tv_sec - begin->tv_sec) * 1000 +
		     (now.tv_nsec - begin->tv_nsec) / 1000000);
}

static void listen_to(int in, struct ui_ground_answer *ret)
{
	struct timespec begin;
	struct pollfd p = { .fd = in, .events = POLLIN };
	clock_gettime(CLOCK_MONOTONIC, &begin);
	ret->owed = true;
	while (ret->owed && ret->n < sizeof ret->other - 1) {
		const int left = WAIT_MS - ms_since(&begin);
		if (left <= 0 || poll(&p, 1, left) <= 0)
			break;
		const ssize_t n = read(in, ret->other + ret->n, sizeof ret->other - 1 - ret->n);
		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++) /* a zero byte is Ctrl-Space, a key without use */
			if (!ret->other[ret->n + (size_t)i])
				ret->other[ret->n + (size_t)i] = ' ';
		ret->other[ret->n + (size_t)n] = 0;
		take_ground_answer(ret->other, "\033]11;", ret);
		ret->owed = !take_ground_answer(ret->other, "\033[?", ret);
		ret->n = strlen(ret->other);
	}
}

void ui_ground_ask(int in, int out, struct ui_ground_answer *ret)
{
	struct termios before, raw;
	sigset_t held, was;
	const char *name = getenv("TERM");
	if (!name || strncmp(name, "linux", 5) == 0 || strcmp(name, "dumb") == 0 ||
		tcgetattr(in, &before) != 0)
		return;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		sigaddset(&held, ends[i]);
	pthread_sigmask(SIG_BLOCK, &held, &was);
	if (tcsetattr(in, TCSANOW, &raw) == 0 &&
		write(out, question, sizeof question - 1) == (ssize_t)sizeof question - 1)
		listen_to(in, ret);
	tcsetattr(in, TCSANOW, &before);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
}

enum ui_ground ui_ground_of_environment(void)
{
	const char *text = getenv("COLORFGBG"), *last = text ? strrchr(text, ';') : NULL;
	if (!last || !last[1])
		return UI_GROUND_DARK;
	char *end;
	const long n = strtol(last + 1, &end, 10);
	return !*end && (n == 7 || (n >= 9 && n <= 15)) ? UI_GROUND_LIGHT : UI_GROUND_DARK;
}

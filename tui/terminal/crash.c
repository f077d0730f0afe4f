/* SPDX-License-Identifier: MIT */
/* Restores the terminal in handlers of fatal signals. */
#include "tui/terminal/crash.h"

#include <ncurses.h>
#include <signal.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/status.h"

/* Prepared beforehand: a handler may ask nothing of terminfo. */
static struct {
	volatile sig_atomic_t armed;
	int fd;
	struct termios saved;
	char restore[256];
	size_t restore_len;
} crash;

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

void ui_crash_save(int fd)
{
	tcgetattr(fd, &crash.saved);
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

void ui_crash_arm(int fd)
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
	for (size_t i = 0; i < PV_COUNT_OF(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

void ui_crash_disarm(void)
{
	crash.armed = 0;
	for (size_t i = 0; i < PV_COUNT_OF(signals); i++)
		signal(signals[i], SIG_DFL);
}

void ui_crash_pause(bool on)
{
	crash.armed = !on;
}

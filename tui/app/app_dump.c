/* SPDX-License-Identifier: MIT */
/* One frame as text, without a terminal. */
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tui/app/app_parts.h"

/* Signals that end the reading early become readable here; what is recorded goes on without a terminal. */
static int signals_fd(bool records, sigset_t *ret_old)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (records)
		signal(SIGHUP, SIG_IGN);
	else
		sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, ret_old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int read_to_the_end(struct ui_feed *f, bool records)
{
	sigset_t old;
	int fd = signals_fd(records, &old), sig = 0;
	ui_feed_load(f, fd >= 0 ? &fd : NULL);
	struct signalfd_siginfo info;
	if (fd >= 0 && read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		sig = (int)info.ssi_signo;
	if (fd >= 0)
		close(fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return sig;
}

static bool first_frame(struct app *a, const struct ui_options *o, struct pv_error *reterr)
{
	bool bare = a->screen.bare;
	int w = o->w ? o->w : bare ? 120 : 80, h = o->w ? o->h : bare ? 36 : 24;
	if (!ui_screen_resize(&a->screen, w, h))
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	ui_app_draw(a);
	return true;
}

bool ui_app_dump(struct ui_feed **f, const struct ui_options *o, struct ui_app_frame *ret,
	struct pv_error *reterr)
{
	struct app a = { .feed = *f, .place = f, .options = o };
	if (!ui_app_open_screen(&a, o, reterr)) {
		pv_groups_cache_destroy(a.groups);
		return false;
	}
	a.screen.bare = !o->dump;
	int sig = read_to_the_end(*f, o->record != NULL);
	if (sig)
		ui_feed_let_end(*f);
	char *text = NULL;
	if (first_frame(&a, o, reterr) && ui_app_press(&a, o->keys, reterr)) {
		text = ui_canvas_text(&a.screen.canvas);
		if (!text)
			pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	}
	ui_screen_finish(&a.screen);
	ui_loaders_drop(a.loader, NULL);
	ui_app_close_folder(&a);
	pv_groups_cache_destroy(a.groups);
	if (!text)
		return false;
	*ret = (struct ui_app_frame){ text, sig ? 128 + sig : a.status.exit_code,
		!sig && a.status.no_log };
	return true;
}

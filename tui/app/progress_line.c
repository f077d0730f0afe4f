/* SPDX-License-Identifier: MIT */
/* Progress of a long command, as a line on standard error, and its end by a signal. */
#include "tui/app/progress_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"

enum {
	FIRST_MS = 1000,
	EACH_MS = 200,
	MOST = 66 /* bytes: a wrapped line could not be removed */
};

static struct {
	const volatile int *caught; /* NULL: no terminal, or not begun */
	char work[60];              /* the line's beginning */
	int64_t due_ms;
	bool shown;
} line;

static int64_t progress_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void ui_progress_begin(void)
{
	if (!ui_complain_on_terminal())
		return;
	line.caught = ui_exit_caught();
	ui_progress_work("reading");
	line.due_ms = progress_now_ms() + FIRST_MS;
}

static void show_progress(const char *path, uint64_t done, uint64_t total)
{
	char n[PV_UNIT_MAX], text[400];
	if (total)
		snprintf(text, sizeof text, "%s: %s %%, %s", line.work,
			pv_units_percent(n, sizeof n, done < total ? done : total, total), path);
	else
		snprintf(text, sizeof text, "%s: %s, %s", line.work,
			pv_units_bytes(n, sizeof n, done), path);
	char *shown = pv_showable_text(text), *frame = NULL;
	if (shown && asprintf(&frame, "\r\033[Kprofview: %s", PV_FIT(shown, MOST)) > 0)
		ui_complain_frame(frame);
	free(shown);
	free(frame);
	line.shown = true;
}

void ui_progress_work(const char *work)
{
	snprintf(line.work, sizeof line.work, "%s", work);
}

bool ui_progress_tell(const char *path, uint64_t done, uint64_t total)
{
	if (!line.caught)
		return true;
	int64_t now = progress_now_ms();
	if (now >= line.due_ms) {
		line.due_ms = now + EACH_MS;
		show_progress(path, done, total);
	}
	return !*line.caught;
}

void ui_progress_end(void)
{
	if (line.shown)
		ui_complain_frame("\r\033[K");
	line.shown = false;
}

int ui_progress_stopped(void)
{
	return line.caught ? *line.caught : 0;
}

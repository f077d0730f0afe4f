/* SPDX-License-Identifier: MIT */
/* `profview check`: reads a log, judges it by rules or a baseline, and prints the verdict. */
#include "tui/commands/check_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/system/small_file.h"
#include "common/check/check.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "common/heap/heap.h"
#include "tui/app/feed_of.h"
#include "tui/feed/feed_again.h"
#include "tui/app/options.h"

enum { BASELINE_MOST = 4 << 20 }; /* cJSON takes up to 32 times as much */

struct work {
	const struct ui_options *o;
	struct ui_feed *feed;  /* of the judged log; NULL: still being written */
	struct ui_again *heap; /* of the log's last shot, once a rule has asked */
	struct pv_check_heaps heaps;
	struct pv_check_set set;
	struct pv_check_baseline baseline;
	bool has_baseline;
	int code;
};

static bool fail_check(struct work *w, const char *path, const struct pv_error *err)
{
	w->code = ui_exit_complain(path, err);
	return false;
}

static bool read_rules(struct work *w)
{
	const struct ui_options *o = w->o;
	struct pv_error err = { 0 };
	w->set.waits = o->report.waits;
	w->set.physical = o->report.physical;
	if (o->rules && !pv_check_read(o->rules, &w->set, &err))
		return fail_check(w, o->rules, &err);
	for (int i = 0; i < o->rule.n; i++)
		if (!pv_check_add(o->rule.at[i], &w->set, &err))
			return fail_check(w, NULL, &err);
	return true;
}

/* Reads the whole log; NULL: the reason was printed. */
static struct ui_feed *load_log(struct work *w, const char *path)
{
	const struct ui_options *o = w->o;
	struct pv_error err = { 0 };
	struct ui_feed_status s;
	struct ui_options named = *o;
	struct ui_feed *f = ui_feed_whole(o, path, o->thread, &err);
	named.path = path;
	if (!f) {
		fail_check(w, path, &err);
		return NULL;
	}
	ui_feed_status(f, &s);
	int code = ui_exit_status(&named, f, s.exit_code);
	if (s.exit_code != EXIT_INPUT)
		return f;
	w->code = code;
	ui_feed_close(f);
	return NULL;
}

static const struct pv_heap *open_heap(
	void *ctx, uint32_t shot, bool *ret_least, struct pv_error *reterr)
{
	struct work *w = ctx;
	struct ui_again_status status;
	w->heap = ui_feed_open_heap(w->feed, shot, false, true, reterr);
	if (!w->heap)
		return NULL;
	ui_again_wait(w->heap);
	ui_again_status(w->heap, &status);
	if (!status.done)
		*reterr = status.error;
	const struct pv_heap *h = ui_again_heap(w->heap);
	*ret_least = h && h->class_least;
	return h;
}

/* Rules may ask for the objects of this log's last shot, or no more. */
static void begin_heaps(struct work *w, struct ui_feed *f)
{
	w->feed = f;
	w->heaps = (struct pv_check_heaps){ w, open_heap };
	w->set.heaps = &w->heaps;
}

static void end_heaps(struct work *w)
{
	ui_again_destroy(w->heap);
	w->heap = NULL;
	w->set.heaps = NULL;
}

static bool log_as_baseline(struct work *w, const char *path)
{
	struct pv_error err = { 0 };
	struct pv_check c;
	struct ui_feed *f = load_log(w, path);
	if (!f)
		return false;
	begin_heaps(w, f);
	bool ok = pv_check_judge(ui_feed_adopt(f), path, &w->set, NULL, &c, &err) &&
		  pv_check_baseline_of(&c, &w->baseline);
	pv_check_clear(&c);
	end_heaps(w);
	ui_feed_close(f);
	return ok || fail_check(w, NULL, &err);
}

/* JSON begins with a bracket, and no log does. */
static bool read_baseline(struct work *w)
{
	const char *path = w->o->baseline;
	struct pv_error err = { 0 };
	if (!path)
		return true;
	struct pv_error no_text = { 0 };
	size_t n = 0;
	char *text = pv_small_file(path, BASELINE_MOST, &n, &no_text);
	bool json = n && text[0] == '{', ok = true;
	w->has_baseline = true;
	if (json)
		ok = pv_check_baseline_read(text, n, &w->baseline, &err);
	free(text);
	if (!ok)
		return fail_check(w, path, &err);
	return json || log_as_baseline(w, path);
}

static bool save_baseline(struct work *w, const struct pv_check *c)
{
	const char *path = w->o->save_baseline;
	FILE *f = path ? fopen(path, "wxe") : NULL;
	if (!path)
		return true;
	if (f)
		pv_check_baseline_write(c, f);
	int failed = !f ? errno : 0;
	if (f && fclose(f) != 0)
		failed = errno;
	if (!failed)
		return true;
	ui_complain(path, "%s", strerror(failed));
	w->code = failed == EEXIST ? EXIT_USAGE : EXIT_OWN;
	return false;
}

/* "junit=FILE": into FILE, replaced if there; "junit": to `out`. */
static bool put_format(struct work *w, const struct pv_check *c, const char *format, FILE *out)
{
	size_t len = strcspn(format, "=");
	const char *path = format[len] ? format + len + 1 : NULL;
	FILE *to = path ? fopen(path, "we") : out;
	bool ok = to && pv_check_write(c, format, len, to);
	if (path && to && fclose(to) != 0)
		ok = false;
	if (ok)
		return true;
	ui_complain(path, "%s", strerror(errno));
	w->code = EXIT_OWN;
	return false;
}

static void judge(struct work *w, const char *path, struct pv_model *m, FILE *out)
{
	const struct ui_options *o = w->o;
	struct pv_error err = { 0 };
	struct pv_check c;
	bool ok = pv_check_judge(m, path, &w->set, w->has_baseline ? &w->baseline : NULL, &c, &err);
	if (!ok)
		fail_check(w, NULL, &err);
	else
		w->code = pv_check_exit(&c, &w->set);
	for (int i = 0; ok && i < o->formats.n; i++)
		ok = put_format(w, &c, o->formats.at[i], out);
	if (ok && !o->formats.n)
		ok = put_format(w, &c, "text", out);
	if (ok)
		save_baseline(w, &c);
	pv_check_clear(&c);
}

static void finish_check(struct work *w)
{
	end_heaps(w);
	pv_check_set_clear(&w->set);
	pv_check_baseline_clear(&w->baseline);
}

static void run_check(struct work *w)
{
	struct pv_error err = { 0 };
	if (!read_rules(w))
		return;
	if (!w->set.rule.n && !w->o->init) {
		ui_complain(NULL,
			"profview check wants --rules FILE or --rule RULE; --init writes a first "
			"file");
		w->code = EXIT_USAGE;
		return;
	}
	if (w->o->require_baseline && !w->o->baseline) {
		ui_complain(NULL, "--require-baseline: there is no --baseline to compare with");
		w->code = EXIT_USAGE;
		return;
	}
	struct ui_feed *f = read_baseline(w) ? load_log(w, w->o->path) : NULL;
	if (!f)
		return;
	begin_heaps(w, f);
	if (!w->o->init)
		judge(w, w->o->path, ui_feed_adopt(f), stdout);
	else if (!pv_check_init(ui_feed_adopt(f), stdout, &err))
		fail_check(w, NULL, &err);
	end_heaps(w);
	ui_feed_close(f);
}

int ui_check_run(const struct ui_options *o)
{
	struct work w = { .o = o };
	run_check(&w);
	finish_check(&w);
	return ui_exit_output(w.code);
}

bool ui_check_ready(const struct ui_options *o, bool *ret_shots, int *ret_code)
{
	struct work w = { .o = o };
	bool ok = read_rules(&w);
	*ret_shots = ok && pv_check_set_wants(&w.set, "heap_shots");
	finish_check(&w);
	*ret_code = w.code;
	return ok;
}

int ui_check_feed(const struct ui_options *o, struct ui_feed *f)
{
	struct work w = { .o = o };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return EXIT_OWN;
	if (read_rules(&w)) {
		begin_heaps(&w, f);
		judge(&w, o->record ? o->record : "-", ui_feed_adopt(f), out);
	}
	if (fclose(out) == 0)
		ui_complain_frame(text);
	free(text);
	finish_check(&w);
	return w.code;
}

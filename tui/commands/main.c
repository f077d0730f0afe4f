/* SPDX-License-Identifier: MIT */
/* argv -> what is asked for -> the exit code. */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commit.h"
#include "common/base/system/private_place.h"
#include "common/base/system/thread.h"
#include "common/base/system/proc_file.h"
#include "common/heap/heap.h"
#include "common/report/brief.h"
#include "common/report/heapsnapshot.h"
#include "common/report/report.h"
#include "common/report/report_sections.h"
#include "common/target/dotnet/event_door.h"
#include "common/target/process/inherited.h"
#include "tui/app/app.h"
#include "tui/commands/attach_run.h"
#include "tui/commands/check_run.h"
#include "tui/commands/child_run.h"
#include "tui/app/complain.h"
#include "tui/app/conf.h"
#include "tui/commands/diff_run.h"
#include "tui/commands/dump_run.h"
#include "tui/app/exits.h"
#include "tui/commands/export_run.h"
#include "tui/feed/feed.h"
#include "tui/feed/feed_end.h"
#include "tui/feed/feed_again.h"
#include "tui/app/feed_of.h"
#include "tui/feed/feed_tell.h"
#include "tui/app/folder.h"
#include "tui/feed/memory.h"
#include "tui/app/options.h"
#include "tui/commands/on_run.h"
#include "tui/commands/on_words.h"
#include "tui/app/options_check.h"
#include "tui/app/remote.h"
#include "tui/commands/trace_run.h"

static int print_help(enum ui_verb verb)
{
	char *text = ui_options_help(verb);
	if (!text)
		return EXIT_OWN;
	fputs(text, stdout);
	free(text);
	return ui_exit_output(0);
}

struct shot {
	struct ui_feed *feed;
	struct ui_again *heap, *following;
};

static const struct pv_heap *open_shot(
	void *ctx, const struct pv_report_shot *which, struct pv_error *reterr)
{
	struct shot *s = ctx;
	struct ui_again_status status;
	s->heap = ui_feed_open_heap(s->feed, which->index, which->weak, which->retained, reterr);
	if (!s->heap)
		return NULL;
	ui_again_wait(s->heap);
	ui_again_status(s->heap, &status);
	if (!status.done && reterr)
		*reterr = status.error;
	return ui_again_heap(s->heap);
}

static const struct pv_identity *follow_identity(void *ctx, const struct pv_report_diff *which,
	struct pv_model **ret_model, struct pv_error *reterr)
{
	struct shot *s = ctx;
	struct ui_again_status status;
	const struct ui_follow_wish w = { .base = which->has_base ? which->base : UI_NO_SHOT,
		.shot = which->has_shot ? which->shot : UI_NO_SHOT,
		.by_address = which->by == PV_REPORT_ADDRESS,
		.single = which->single };
	s->following = ui_feed_follow(s->feed, &w, reterr);
	if (!s->following)
		return NULL;
	ui_again_wait(s->following);
	ui_again_status(s->following, &status);
	if (!status.done && reterr)
		*reterr = status.error;
	*ret_model = ui_again_model(s->following);
	return ui_again_identity(s->following);
}

/* The report of what was read, on standard output. */
static int write_report(const struct ui_options *o, struct ui_feed *f, struct pv_model *m, int code)
{
	struct pv_error err = { 0 };
	struct pv_report_source source;
	struct shot shot = { .feed = f };
	const struct pv_report_heaps heaps = { &shot, open_shot };
	struct pv_report_options ro = o->report;
	const struct pv_report_follows follows = { &shot, follow_identity };
	ro.heaps = &heaps;
	ro.follows = &follows;
	ui_feed_report_source(f, &source);
	source.path = o->folder ? ui_input_name(o) : source.path;
	if (!ui_feed_knows_thread(f, &err) || !pv_report_write(m, &source, &ro, stdout, &err))
		code = err.code == PV_EIO && ferror(stdout) ? ui_exit_output(EXIT_OWN)
							    : ui_exit_complain(NULL, &err);
	ui_again_destroy(shot.heap);
	ui_again_destroy(shot.following);
	return code;
}

/* Opens the newest shot, for findings about objects, unless too large. */
static const struct pv_heap *open_newest(struct shot *s, struct pv_model *m)
{
	struct pv_summary sum;
	pv_view_summary(m, &sum);
	const struct pv_report_shot newest = { .index = sum.shot };
	return sum.shot_objects && sum.shot_objects <= PV_REPORT_JUDGED_MOST
		       ? open_shot(s, &newest, NULL)
		       : NULL;
}

/* A summary of the log. */
static int write_brief(const struct ui_options *o, struct ui_feed *f, struct pv_model *m, int code)
{
	struct pv_error err = { 0 };
	struct pv_report_source source;
	struct shot shot = { .feed = f };
	ui_feed_report_source(f, &source);
	source.path = o->folder ? ui_input_name(o) : source.path;
	bool json = o->report.format == PV_REPORT_JSON;
	const size_t budget = o->budget ? o->budget : PV_BRIEF_USUAL;
	bool ok = ui_feed_knows_thread(f, &err) &&
		  pv_brief_write(m, &source, open_newest(&shot, m), json, o->report.waits, budget,
			  stdout, &err);
	ui_again_destroy(shot.heap);
	if (ok)
		return code;
	return err.code == PV_EIO && ferror(stdout) ? ui_exit_output(EXIT_OWN)
						    : ui_exit_complain(NULL, &err);
}

/* With an index only buffers that overlap the range are read. */
static bool is_quick_range(const struct ui_options *o)
{
	const char *sections = o->report.sections;
	bool of_objects = sections && strstr(sections, "heap_"); /* they need the log's shots */
	return (o->ranged || o->requests) && !o->thread && !o->no_index && !of_objects &&
	       ui_feed_indexed(o->path);
}

static struct ui_again *read_range(
	const struct ui_options *o, struct ui_feed *f, struct pv_error *err)
{
	struct ui_again_status s;
	struct ui_range_wish w = { o->from_ns, o->to_ns, .requests = o->requests };
	ui_feed_adopt(f);
	if (o->ranged && !ui_feed_range(f, o->relative, &w.from_ns, &w.to_ns, err))
		return NULL;
	w.from_ns = o->ranged ? w.from_ns : INT64_MIN;
	w.to_ns = o->ranged ? w.to_ns : INT64_MAX;
	struct ui_again *r = ui_feed_read_range(f, &w, err);
	if (!r)
		return NULL;
	ui_again_wait(r);
	ui_again_status(r, &s);
	if (s.done && (!o->requests || ui_feed_has_requests(f, ui_again_requests(r), err)))
		return r;
	*err = s.done ? *err : s.error;
	ui_again_destroy(r);
	return NULL;
}

static int run_quick_range(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	struct ui_options all = *o;
	all.ranged = false;
	all.relative = 0;
	struct ui_feed *f = ui_feed_of(&all, false, &err);
	if (!f)
		return ui_exit_complain(o->path, &err);
	ui_feed_load(f, NULL);
	struct ui_feed_status s;
	ui_feed_status(f, &s);
	int code = s.exit_code;
	struct ui_again *r = code == EXIT_INPUT ? NULL : read_range(o, f, &err);
	if (r)
		code = write_report(o, f, ui_again_model(r), code);
	else if (code != EXIT_INPUT)
		code = ui_exit_complain(o->path, &err);
	ui_again_destroy(r);
	code = ui_exit_status(o, f, code);
	ui_feed_close(f);
	return ui_exit_output(code);
}

/* Prints the names that --section takes, one a line. */
static int list_sections(void)
{
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		puts(s->section);
	return ui_exit_output(0);
}

static int run_report(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	if (ui_lists_sections(o))
		return list_sections();
	if (o->verb == UI_VERB_REPORT && !pv_report_check(&o->report, &err))
		return ui_exit_complain(NULL, &err);
	if (o->folder && !o->folder->log)
		return ui_folder_report(o);
	struct stat st;
	ui_memory_for_once(stat(o->path, &st) == 0 ? (uint64_t)st.st_size : 0);
	if (o->verb == UI_VERB_REPORT && is_quick_range(o))
		return run_quick_range(o);
	struct ui_feed *f = ui_feed_of(o, false, &err);
	if (!f)
		return ui_exit_complain(o->path, &err);
	ui_feed_load(f, NULL);
	struct ui_feed_status s;
	ui_feed_status(f, &s);
	int code = s.exit_code;
	if (code != EXIT_INPUT)
		code = (o->verb == UI_VERB_BRIEF ? write_brief : write_report)(
			o, f, ui_feed_adopt(f), code);
	code = ui_exit_status(o, f, code);
	ui_feed_close(f);
	return ui_exit_output(code);
}

/* A heap shot for other programs. */
static int run_snapshot(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	struct ui_feed *f = ui_feed_of(o, false, &err);
	if (!f)
		return ui_exit_complain(o->path, &err);
	ui_feed_load(f, NULL);
	struct ui_feed_status s;
	ui_feed_status(f, &s);
	struct shot shot = { .feed = f };
	int code = s.exit_code;
	const struct pv_heap *h =
		code == EXIT_INPUT ? NULL : open_shot(&shot, &o->report.shot, &err);
	if (!h && code != EXIT_INPUT)
		code = ui_exit_complain(o->path, &err);
	else if (h && !(strcmp(o->output, "-") == 0 ? pv_heapsnapshot_write(h, stdout, &err)
						    : pv_heapsnapshot_file(h, o->output, &err)))
		code = ui_exit_complain(err.code == PV_EOUTPUT ? ui_output_name(o) : o->path, &err);
	if (h && h->graph.torn)
		ui_complain(o->path, "the shot is cut off: objects and references are missing");
	ui_again_destroy(shot.heap);
	code = ui_exit_status(o, f, code);
	ui_feed_close(f);
	return code;
}

/* Finds the range as times of the log, by reading the log first; a pipe can be read only once. */
static bool find_range(
	const struct ui_options *o, struct ui_convert_options *co, struct pv_error *err)
{
	struct ui_options all = *o;
	struct stat st;
	if (!o->ranged || stat(o->path, &st) != 0 || !S_ISREG(st.st_mode))
		return !o->relative || pv_fail(err, PV_EUSAGE, 0,
					       "--range: only of a file it is known when it ends "
					       "and began");
	all.ranged = false;
	all.relative = 0;
	all.thread = NULL;
	struct ui_feed *f = ui_feed_of(&all, false, err);
	if (f)
		ui_feed_load(f, NULL);
	bool ok = f && ui_feed_adopt(f) &&
		  ui_feed_range(f, o->relative, &co->from_ns, &co->to_ns, err);
	ui_feed_close(f);
	return ok;
}

static int run_convert(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	if (ui_trace_wanted(o))
		return ui_trace_run(o);
	if (ui_export_wanted(o))
		return ui_export_run(o);
	if (o->report.has_shot)
		return run_snapshot(o);
	struct ui_convert_options co = { .path = o->path,
		.output = o->output,
		.ranged = o->ranged,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.thread = o->thread,
		.data_version = o->data_version };
	struct ui_converted done;
	if (!find_range(o, &co, &err) || !ui_feed_convert(&co, &done, &err))
		return ui_exit_complain(err.code == PV_EOUTPUT ? ui_output_name(o) : o->path, &err);
	if (*done.left_out)
		ui_complain(o->path, "not in the new log, which has no words for it: %s",
			done.left_out);
	if (done.damaged)
		ui_complain(o->path, "the log is damaged; what could be read was written");
	return ui_exit_output(done.damaged ? EXIT_DAMAGED : 0);
}

static int run_dumped(const struct ui_options *o, struct ui_feed **f)
{
	struct pv_error err = { 0 };
	struct ui_app_frame frame;
	if (!ui_app_dump(f, o, &frame, &err))
		return ui_exit_complain(err.code == PV_EUSAGE ? NULL : ui_input_name(o), &err);
	if (!frame.no_log)
		fputs(frame.text, stdout);
	free(frame.text);
	return ui_exit_output(ui_exit_status(o, *f, frame.exit_code));
}

/* Whether the input is no log, to say so without a screen. A followed file may get a writer yet. */
static bool is_no_log(const struct ui_options *o, struct ui_feed *f)
{
	enum { PATIENCE_MS = 100 };
	struct ui_feed_status s;
	if (o->follow)
		return false;
	ui_feed_await_log(f, PATIENCE_MS);
	ui_feed_status(f, &s);
	return s.no_log;
}

static int run_plain(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	bool screen = !o->dump && isatty(STDOUT_FILENO);
	struct ui_feed *f = ui_feed_of(o, screen, &err);
	if (!f)
		return ui_exit_complain(o->path, &err);
	if (o->far)
		ui_feed_shoot_by(f, ui_far_shot, o->far);
	int code = 0;
	if (!screen)
		code = run_dumped(o, &f);
	else if (is_no_log(o, f))
		code = ui_exit_status(o, f, EXIT_INPUT);
	else if (!ui_app_run(&f, o, NULL, &code, &err))
		code = ui_exit_complain(NULL, &err);
	else
		code = ui_exit_status(o, f, code);
	ui_feed_close(f);
	return code;
}

/* With a base, read first. */
static int run_viewer(const struct ui_options *given)
{
	struct ui_options o = *given;
	struct ui_base_log base;
	if (!o.base_path)
		return run_plain(&o);
	int code = ui_base_open(&o, &base);
	if (code)
		return code;
	o.against = &base.against;
	code = run_plain(&o);
	ui_base_close(&base);
	return code;
}

/* Shows a joined program until the program ends or the user leaves. Owns `j`. */
static int follow_joined(const struct ui_options *given, struct ui_joined *j)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	char name[64] = "";
	o.path = ui_joined_path(j);
	if (o.pid && pv_proc_read((pid_t)o.pid, "comm", name, sizeof name) > 0) {
		name[strcspn(name, "\n")] = 0;
		o.program = name;
	}
	if (*ui_joined_note(j))
		ui_complain(NULL, "%s", ui_joined_note(j));
	o.follow = true;
	if (ui_joined_injects(j))
		ui_complain(NULL, "a probe goes into the running Mono: one collection is made, and "
				  "the program's output gets some lines of Mono's");
	bool screen = isatty(STDOUT_FILENO);
	struct ui_feed *f = ui_feed_of(&o, screen, &err);
	int code = 0;
	if (f)
		ui_feed_joined(f, o.pid);
	if (f && ui_joined_streams(j))
		ui_feed_shoot_by(f, ui_joined_shot, j);
	if (f && ui_joined_is_ours(j))
		ui_feed_end_by(f, ui_joined_end, j);
	if (!f) {
		code = ui_exit_complain(o.path, &err);
	} else if (!ui_joined_go(j, &err)) {
		err.code = err.code == PV_EUSAGE ? PV_EIO : err.code;
		code = ui_exit_complain(NULL, &err);
	} else if (!screen)
		code = run_dumped(&o, &f);
	else if (!ui_app_run(&f, &o, NULL, &code, &err))
		code = ui_exit_complain(NULL, &err);
	else {
		ui_feed_let_end(f);
		code = ui_exit_status(&o, f, code);
	}
	ui_feed_close(f);
	ui_joined_leave(j);
	return code;
}

/* A program that cannot be joined is no fault of the command line's. */
static int not_joined(const char *why, struct pv_error *err)
{
	if (*why) {
		ui_complain(NULL, "%s", why);
		return EXIT_USAGE;
	}
	err->code = err->code == PV_EUSAGE ? PV_EIO : err->code;
	return ui_exit_complain(NULL, err);
}

static int run_attach(const struct ui_options *given)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	char why[UI_CHILD_WHY];
	long pid[UI_ATTACH_MOST];
	size_t n = ui_attach_pids(given, pid, &err);
	if (n == 0)
		return not_joined("", &err);
	if (ui_attach_wants_folder(given, n))
		return ui_attach_several(given, pid, n);
	o.pid = pid[0];
	o.socket = strchr(o.join[0], '/') ? o.join[0] : NULL;
	struct ui_joined *j = ui_child_join(&o, why, &err);
	return j ? follow_joined(&o, j) : not_joined(why, &err);
}

/* The runtime connects for each command, so the socket stays until the end. */
static int run_listen(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	char why[UI_CHILD_WHY] = "";
	volatile int *stop = ui_exit_caught();
	int listener = pv_event_door_listen(o->path, &err);
	if (listener < 0)
		return ui_exit_complain(NULL, &err);
	ui_complain(
		o->path, "waiting; start the program with DOTNET_DiagnosticPorts set to this path");
	struct ui_joined *j = ui_child_listen(o, listener, stop, why, &err);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	int code = *stop ? 128 + *stop : j ? follow_joined(o, j) : not_joined(why, &err);
	if (*stop && j)
		ui_joined_leave(j);
	unlink(o->path);
	return code;
}

/* A command that a probe refuses is the input's fault, not the command line's. */
static int run_ctl(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	if (ui_remote_ctl(o->pid, o->program && strchr(o->program, '/') ? o->program : NULL,
		    o->words, o->n_words, stdout, &err))
		return ui_exit_output(0);
	err.code = PV_EIO;
	return ui_exit_complain(NULL, &err);
}

static int run_ps(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	bool json = o->report.format == PV_REPORT_JSON;
	return ui_remote_ps(stdout, json, o->all, &err) ? ui_exit_output(0)
							: ui_exit_complain(NULL, &err);
}

static int run_on_file(const struct ui_options *o)
{
	switch (o->verb) {
	case UI_VERB_BRIEF:
	case UI_VERB_REPORT:
		return run_report(o);
	case UI_VERB_DUMP:
		return ui_dump_run(o);
	case UI_VERB_CONVERT:
		return run_convert(o);
	case UI_VERB_CHECK:
		return ui_check_run(o);
	case UI_VERB_DIFF:
		return ui_diff_run(o);
	default:
		return run_viewer(o);
	}
}

static int run_verb(int argc, char *argv[], struct ui_options *o)
{
	if (o->on)
		return ui_on_run(argc, argv, o, run_viewer);
	struct ui_folder folder = { 0 };
	struct pv_error err = { 0 };
	bool named = o->program && !strchr(o->program, '/');
	if (named && !ui_pid_by_name(o->program, &o->pid, &err))
		return not_joined("", &err);
	switch (o->verb) {
	case UI_VERB_CTL:
		return run_ctl(o);
	case UI_VERB_RUN:
		return ui_child_run(o);
	case UI_VERB_ATTACH:
		return run_attach(o);
	case UI_VERB_LISTEN:
		return run_listen(o);
	case UI_VERB_PS:
		return run_ps(o);
	default:
		break;
	}
	int code = o->verb == UI_VERB_DIFF ? 0 : ui_folder_enter(o, &folder);
	code = code ? code : run_on_file(o);
	ui_folder_close(&folder);
	return code;
}

/* A container names no locale, ssh one that is not installed: both would be "C", without UTF-8. */
static void choose_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *said = NULL;
	for (size_t i = 0; i < PV_COUNT_OF(names) && !(said && said[0]); i++)
		said = getenv(names[i]);
	const bool utf8 = !said || !said[0] || strcasestr(said, "utf");
	if (!setlocale(LC_CTYPE, said && said[0] ? "" : "C.UTF-8") && utf8)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static int start_program(int argc, char *argv[])
{
	struct ui_options o;
	struct pv_error err = { 0 };
	choose_locale();
	pv_inherited_note();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* beyond a limit write(2) shall fail */
	if (argc > 1 && strcmp(argv[1], "relay") == 0)
		return ui_on_serve(argc, argv);
	ui_on_first(argc, argv);
	if (!ui_options_parse(argc, argv, &o, &err))
		return ui_exit_complain(NULL, &err);
	if (o.help)
		return print_help(o.verb);
	if (o.version) {
		puts("profview " PV_VERSION UI_OF_COMMIT);
		if (pv_private_is_foreign(PV_PRIVATE_CACHE))
			puts("no index is kept: the cache folder is another user's");
		return ui_exit_output(0);
	}
	struct ui_conf conf = { .filters = { .name = { 0 } }, .theme = ui_theme_usual() };
	const enum ui_verb plain = UI_VERB_CTL | UI_VERB_PS;
	if (!(o.verb & plain) &&
		!(o.verb == UI_VERB_REPORT && !o.report.filter && !o.report.sets_n))
		ui_conf_load(&conf);
	o.conf = &conf;
	o.report.sets = o.set;
	bool ok = ui_conf_expand(&conf, "--filter", &o.report.filter);
	for (size_t i = 0; ok && i < o.report.sets_n; i++)
		ok = ui_conf_expand(&conf, "--set", &o.set[i].filter);
	struct pv_filter_split split, base;
	ok = ok && ui_conf_expand(&conf, "--base-filter", &o.base_filter) &&
	     ui_conf_split(&split, "--filter", &o.report.filter, &o.requests) &&
	     ui_conf_split(&base, "--base-filter", &o.base_filter, &o.base_requests);
	if (ok && !ui_options_check_requests(&o, &err)) {
		ok = false;
		ui_exit_complain(NULL, &err);
	}
	int code = ok ? run_verb(argc, argv, &o) : EXIT_USAGE;
	ui_conf_finish(&conf);
	return code;
}

int main(int argc, char *argv[])
{
	ui_exit_note_output();
	return pv_thread_main(start_program, argc, argv);
}

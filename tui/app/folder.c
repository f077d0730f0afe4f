/* SPDX-License-Identifier: MIT */
/* A recording that is a folder: reads its list, chooses a process, follows changes of the list. */
#include "tui/app/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/text/units.h"
#include "common/format/mlpd/mlpd.h"
#include "common/io/process_list.h"
#include "common/io/source.h"
#include "common/model/model.h"
#include "common/report/report.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/app/options.h"

/* The pid of a log's header; 0: no header. */
static uint32_t pid_of(const char *path)
{
	const struct pv_source_options plain = { 0 };
	struct pv_source *s = pv_source_open(path, &plain, NULL);
	uint8_t bytes[512];
	uint64_t n = 0, got;
	struct mlpd_header h = { 0 };
	while (s && n < sizeof bytes &&
		pv_source_read(s, bytes + n, sizeof bytes - n, &got, NULL) == PV_READ_BYTES)
		n += got;
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	uint32_t pid = mlpd_get_header(&c, &h, NULL) == MLPD_OK ? h.pid : 0;
	pv_source_close(s);
	return pid;
}

static char *join_path(const char *folder, const char *name)
{
	size_t n = strlen(folder);
	char *path;
	return asprintf(&path, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name) < 0
		       ? NULL
		       : path;
}

static const char *process_words(const struct pv_process *p)
{
	return *p->args ? p->args : pv_process_name(p);
}

static bool not_recorded(const struct pv_process *p, struct pv_error *reterr)
{
	return pv_fail(reterr, PV_EIO, 0, "process %u, %.80s, was not recorded: %.80s", p->pid,
		process_words(p), p->reason ? p->reason : "it has no log yet");
}

static bool take_log(struct ui_folder *f, const struct pv_process *p, struct pv_error *reterr)
{
	char *log = join_path(f->path, p->log);
	if (!log)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	f->log = log;
	f->process = p->id;
	return true;
}

bool ui_folder_open(
	struct ui_folder *f, const char *path, const char *process, struct pv_error *reterr)
{
	*f = (struct ui_folder){ .path = path, .mark = pv_process_list_mark(path) };
	f->list = pv_process_list_read(path, pid_of, reterr);
	if (!f->list)
		return false;
	if (ui_merged_of(process)) {
		f->process = ui_merged_of(process);
		return true; /* they are read by ui_folder_enter() */
	}
	const struct pv_process *p =
		process ? pv_processes_find(f->list, process) : pv_processes_heaviest(f->list);
	if (process && !p)
		return pv_fail(
			reterr, PV_EUSAGE, 0, "no process of the recording is \"%.60s\"", process);
	if (process && !p->log)
		return not_recorded(p, reterr);
	return !p || take_log(f, p, reterr);
}

/* The list's process with this log; NULL: not listed so far. */
static const struct pv_process *of_log(const struct pv_processes *list, const char *log)
{
	const char *slash = strrchr(log, '/'), *name = slash ? slash + 1 : log;
	for (size_t i = 0; list && i < list->row.n; i++)
		if (list->row.v[i].log && strcmp(list->row.v[i].log, name) == 0)
			return &list->row.v[i];
	return NULL;
}

bool ui_folder_join(struct ui_folder *f, const char *path, const char *log, struct pv_error *reterr)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	enum { TURNS = 100 };
	struct pv_error err = { 0 };
	*f = (struct ui_folder){ .path = path };
	for (unsigned turn = 0; turn < TURNS && !f->process; turn++) {
		if (turn)
			nanosleep(&pause, NULL);
		pv_processes_destroy(f->list);
		f->mark = pv_process_list_mark(path);
		f->list = pv_process_list_read(path, NULL, &err);
		const struct pv_process *p = of_log(f->list, log);
		f->process = p ? p->id : 0;
	}
	f->log = f->list ? strdup(log) : NULL;
	if (f->log)
		return true;
	ui_folder_close(f);
	return pv_fail(reterr, err.code ? err.code : PV_ENOMEM, 0, "%s",
		err.code ? err.what : "out of memory");
}

void ui_folder_close(struct ui_folder *f)
{
	pv_processes_destroy(f->list);
	free(f->log);
	ui_merged_close(&f->merged);
	*f = (struct ui_folder){ 0 };
}

bool ui_folder_renew(struct ui_folder *f, struct pv_processes **ret_old)
{
	uint64_t mark = pv_process_list_mark(f->path);
	struct pv_processes *list =
		mark && mark != f->mark ? pv_process_list_read(f->path, pid_of, NULL) : NULL;
	if (!list)
		return false;
	*ret_old = f->list;
	f->list = list;
	f->mark = mark;
	return true;
}

bool ui_folder_choose(struct ui_folder *f, uint64_t id, char **ret_old, struct pv_error *reterr)
{
	const struct pv_process *p = pv_processes_by_id(f->list, id);
	char *old = f->log;
	if (!p)
		return pv_fail(reterr, PV_EUSAGE, 0, "the process is not in the list any more");
	if (!p->log)
		return not_recorded(p, reterr);
	if (!take_log(f, p, reterr))
		return false;
	*ret_old = old;
	return true;
}

bool ui_folder_choose_all(struct ui_folder *f, uint64_t id, const struct ui_merged *m,
	char **ret_old, struct pv_error *reterr)
{
	char *log = strdup(m->path);
	if (!log)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	ui_merged_close(&f->merged);
	f->merged = *m;
	*ret_old = f->log;
	f->log = log;
	f->process = id;
	return true;
}

void ui_folder_stay(struct ui_folder *f, uint64_t id, char *path)
{
	free(f->log);
	f->log = path;
	f->process = id;
}

void ui_folder_say(const struct ui_folder *f)
{
	const struct pv_process *p = pv_processes_by_id(f->list, f->process);
	size_t n = f->list->row.n, recorded = pv_processes_recorded(f->list);
	char cpu[PV_UNIT_MAX], pid[32] = "";
	if (!p || n < 2)
		return;
	if (p->pid)
		snprintf(pid, sizeof pid, " process %u,", p->pid);
	ui_complain(f->path,
		"this is%s %.100s, %s%s%s; %zu other%s, %zu recorded: --process "
		"NAME|PID chooses",
		pid, process_words(p),
		p->knows_cpu ? "which used most CPU time (" : "the largest log",
		p->knows_cpu ? pv_units_ns(cpu, sizeof cpu, (int64_t)p->cpu_ns) : "",
		p->knows_cpu ? ")" : "", n - 1, n == 2 ? "" : "s", recorded - 1);
}

/* Neither a list nor a log is there yet: the folder was just made. */
static bool is_new(const char *path)
{
	char *index = join_path(path, "index.json");
	bool missing = index && access(index, F_OK) != 0 && errno == ENOENT;
	free(index);
	return missing;
}

/* Waits until a process of the folder is recorded; a signal ends the program. */
static bool wait_for_log(
	struct ui_folder *f, const char *path, const char *process, struct pv_error *reterr)
{
	const struct timespec pause = { .tv_nsec = 200000000 };
	enum { SILENT = 10 };
	for (unsigned turn = 1;; turn++) {
		nanosleep(&pause, NULL);
		ui_folder_close(f);
		if (!ui_folder_open(f, path, process, reterr) && !is_new(path))
			return false;
		if (f->log)
			return true;
		if (turn == SILENT)
			ui_exit_waits(path);
	}
}

static bool lists_only(const struct ui_options *o)
{
	return o->verb == UI_VERB_REPORT && o->report.sections &&
	       strcmp(o->report.sections, "processes") == 0;
}

/* The first reason stands for all. */
static int none_recorded(const struct ui_folder *f)
{
	const struct pv_process *first = f->list->row.n ? &f->list->row.v[0] : NULL;
	if (first)
		ui_complain(f->path, "none of %zu process%s was recorded; %.80s: %.80s",
			f->list->row.n, f->list->row.n == 1 ? "" : "es", process_words(first),
			first->reason ? first->reason : "it has no log");
	else
		ui_complain(f->path, "no process was recorded");
	return EXIT_INPUT;
}

/* The option or command that makes sense for one process only: its time, or its log. */
static const char *not_of_all(const struct ui_options *o)
{
	return o->ranged                                  ? "--range"
	       : o->thread                                ? "--thread"
	       : o->report.has_shot || o->report.has_base ? "--shot"
	       : o->verb == UI_VERB_DUMP                  ? "dump"
							  : NULL;
}

static int enter_all(struct ui_options *o, struct ui_folder *f)
{
	struct pv_error err = { 0 };
	struct ui_merged m;
	char *none, words[400];
	if (not_of_all(o)) {
		ui_complain(f->path, "%s is of one process, not of all: --process NAME|PID",
			not_of_all(o));
		return EXIT_USAGE;
	}
	bool each = f->process == PV_PROCESSES_EACH;
	if (!ui_merged_make(&m, o, f->path, f->list, each, &err) ||
		!ui_folder_choose_all(f, f->process, &m, &none, &err))
		return ui_exit_complain(f->path, &err);
	o->path = f->log;
	o->no_index = true;
	o->follow = false;
	ui_merged_words(&f->merged, f->list, o->verb == UI_VERB_CONVERT, words, sizeof words);
	if (o->verb != UI_VERB_VIEW)
		ui_complain(f->path, "%s", words);
	return 0;
}

int ui_folder_enter(struct ui_options *o, struct ui_folder *f)
{
	struct pv_error err = { 0 };
	const char *path = o->path;
	if (!path || !pv_is_folder(path)) {
		if (!o->process || o->verb == UI_VERB_DIFF)
			return 0;
		ui_complain(path, "--process goes with a recording that is a folder");
		return EXIT_USAGE;
	}
	bool ok = ui_folder_open(f, path, o->process, &err);
	ok = ok && (!ui_merged_of(o->process) || f->list->row.n ||
			   pv_fail(&err, PV_EIO, 0, "no process was recorded"));
	bool waits = o->follow && o->verb == UI_VERB_VIEW && !ui_merged_of(o->process);
	if (waits && (ok ? !f->log : is_new(path)))
		ok = wait_for_log(f, path, o->process, &err);
	if (!ok)
		return ui_exit_complain(path, &err);
	o->folder = f;
	o->report.processes = f->list;
	o->report.process = f->process;
	if (ui_merged_of(o->process))
		return enter_all(o, f);
	if (!f->log)
		return lists_only(o) ? 0 : none_recorded(f);
	o->path = f->log;
	if (!o->process && o->verb != UI_VERB_VIEW && !lists_only(o))
		ui_folder_say(f);
	return 0;
}

int ui_folder_report(const struct ui_options *o)
{
	struct pv_error err = { 0 };
	const struct pv_report_source source = { .path = o->path };
	struct pv_model *m = pv_model_create(NULL);
	int code = 0;
	if (!m)
		return EXIT_OWN;
	if (!pv_report_write(m, &source, &o->report, stdout, &err))
		code = ui_exit_complain(NULL, &err);
	pv_model_destroy(m);
	return ui_exit_output(code);
}

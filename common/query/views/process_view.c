/* SPDX-License-Identifier: MIT */
/*
 * The processes of a recording in a folder, as a tree of who started whom. A row's id is the
 * process's.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/system/processes.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum {
	P_CPU,
	P_TREE,
	P_PID,
	P_STATE,
	P_EXIT,
	P_HOST,
	P_EVENTS,
	P_LOST,
	P_MEMORY,
	P_START,
	P_REASON,
	P_PROGRAM,
	P_PPID,
	P_IMAGE,
	P_EXE,
	P_COMMAND,
	P_LOG,
	P_END,
	P_CODE,
	P_SIGNAL
};

static const struct pv_column columns[] = {
	[P_CPU] = { "cpu_ns", "CPU", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 11,
		.help = "Processor time that it used itself" },
	[P_TREE] = { "tree_cpu_ns", "WITH BELOW", PV_UNIT_NS, 10, 6, .json = 12,
		.help = "Processor time of it and of all processes below it" },
	[P_PID] = { "pid", "PID", PV_UNIT_NUMBER, 7, 4, PV_COLUMN_ASCENDING, .json = 1,
		.help = "Its number; what exec made of it has the same" },
	[P_STATE] = { "state", "STATE", PV_UNIT_TEXT, 8, 2, PV_COLUMN_ASCENDING, .json = 8,
		.help = "running, ended, killed, or replaced by exec: the row below is what it became" },
	[P_EXIT] = { "exit", "EXIT", PV_UNIT_TEXT, 8, 3, PV_COLUMN_ASCENDING,
		.help = "Its exit code, or the signal that ended it" },
	[P_HOST] = { "host", "HOST", PV_UNIT_TEXT, 7, 7, PV_COLUMN_ASCENDING, .json = 7,
		.help = "native, mono, coreclr; none: no probe could go into it" },
	[P_EVENTS] = { "events", "EVENTS", PV_UNIT_COUNT, 7, 9, PV_COLUMN_ADDS, .json = 17,
		.help = "Events of its log, where that is read or the index says it" },
	[P_LOST] = { "lost", "LOST", PV_UNIT_COUNT, 6, 8, PV_COLUMN_ADDS, .json = 18,
		.help = "Events that its probe lost, likewise" },
	[P_MEMORY] = { "memory_bytes", "MEMORY", PV_UNIT_BYTES, 9, 10, .json = 19,
		.help = "The most memory that it had in use" },
	[P_START] = { "start_ns", "BEGAN", PV_UNIT_TIME, 12, 11, PV_COLUMN_ASCENDING, .json = 13 },
	[P_REASON] = { "reason", "NOT RECORDED", PV_UNIT_TEXT, 24, 5, PV_COLUMN_ASCENDING,
		.json = 10, .help = "Why there is no log of it" },
	[P_PROGRAM] = { "program", "PROGRAM", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_TREE | PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 4,
		.help = "Its command line, below the process that started it" },
	[P_PPID] = { "ppid", "PARENT", PV_UNIT_NUMBER, 7, 0, PV_COLUMN_HIDE_SCREEN, .json = 2 },
	[P_IMAGE] = { "image", "IMAGE", PV_UNIT_NUMBER, 5, 0, PV_COLUMN_HIDE_SCREEN, .json = 3 },
	[P_EXE] = { "exe", "FILE", PV_UNIT_TEXT, 30, 0, PV_COLUMN_HIDE_SCREEN, .json = 5 },
	[P_COMMAND] = { "command", "COMMAND", PV_UNIT_TEXT, 30, 0, PV_COLUMN_HIDE_SCREEN,
		.json = 6 },
	[P_LOG] = { "log", "LOG", PV_UNIT_TEXT, 20, 0, PV_COLUMN_HIDE_SCREEN, .json = 9 },
	[P_END] = { "end_ns", "ENDED", PV_UNIT_TIME, 12, 0, PV_COLUMN_HIDE_SCREEN, .json = 14 },
	[P_CODE] = { "exit_code", "CODE", PV_UNIT_NUMBER, 4, 0, PV_COLUMN_HIDE_SCREEN, .json = 15 },
	[P_SIGNAL] = { "signal", "SIGNAL", PV_UNIT_NUMBER, 6, 0, PV_COLUMN_HIDE_SCREEN,
		.json = 16 },
};

static const char *const host_text[] = { [PV_PROCESS_UNKNOWN] = NULL,
	[PV_PROCESS_NATIVE] = "native",
	[PV_PROCESS_MONO] = "mono",
	[PV_PROCESS_CORECLR] = "coreclr",
	[PV_PROCESS_NONE] = "none" };

/* NULL: the folder has no index. */
static const char *state_text(const struct pv_processes *list, const struct pv_process *p)
{
	if (!list->indexed)
		return NULL;
	return p->replaced             ? "replaced"
	       : p->killed             ? "killed"
	       : p->ended || p->exited ? "ended"
				       : "running";
}

/* NULL: the signal has no name. (Only glibc has sigabbrev_np(), from 2.32 on.) */
static const char *signal_name(int number)
{
#define NAME(name) [SIG##name] = #name
	static const char *const names[] = { NAME(HUP), NAME(INT), NAME(QUIT), NAME(ILL),
		NAME(TRAP), NAME(ABRT), NAME(BUS), NAME(FPE), NAME(KILL), NAME(USR1), NAME(SEGV),
		NAME(USR2), NAME(PIPE), NAME(ALRM), NAME(TERM), NAME(STKFLT), NAME(CHLD),
		NAME(CONT), NAME(STOP), NAME(TSTP), NAME(TTIN), NAME(TTOU), NAME(URG), NAME(XCPU),
		NAME(XFSZ), NAME(VTALRM), NAME(PROF), NAME(WINCH), NAME(POLL), NAME(PWR),
		NAME(SYS) };
#undef NAME
	return number > 0 && (size_t)number < PV_COUNT_OF(names) ? names[number] : NULL;
}

/* NULL: the process has not ended, or went on as another program. */
static const char *exit_text(struct pv_build *b, const struct pv_process *p)
{
	const char *name = p->killed ? signal_name(p->signal) : NULL;
	if (p->replaced)
		return NULL;
	if (name)
		return pv_build_printf(b, "SIG%s", name);
	if (p->killed)
		return pv_build_printf(b, "signal %d", p->signal);
	return p->exited ? pv_build_printf(b, "%d", p->exit_code) : NULL;
}

/* The command line as a user would type, without the program's folders. */
static const char *program_text(struct pv_build *b, const struct pv_process *p)
{
	size_t first = strcspn(p->args, " ");
	const char *slash = memrchr(p->args, '/', first);
	const char *text = !*p->args ? pv_process_name(p) : slash ? slash + 1 : p->args;
	return pv_build_text(b, *text && *text != ' ' ? text : pv_process_name(p));
}

static const char *text_or_null(struct pv_build *b, const char *text)
{
	return text && *text ? pv_build_text(b, text) : NULL;
}

/* A plain number, without grouped digits. */
static void number_if(struct pv_cell *c, bool known, uint32_t v)
{
	pv_cell_null(c);
	if (known)
		pv_cell_d(c, v);
}

static void fill_process_row(struct pv_build *b, struct pv_cell *c, const struct pv_processes *list,
	const struct pv_process *p)
{
	pv_cell_u_if(&c[P_CPU], p->knows_cpu, p->cpu_ns);
	pv_cell_u_if(&c[P_TREE], list->indexed, p->tree_cpu_ns);
	number_if(&c[P_PID], p->pid, p->pid);
	pv_cell_s(&c[P_STATE], state_text(list, p));
	pv_cell_s(&c[P_EXIT], exit_text(b, p));
	pv_cell_s(&c[P_HOST], host_text[p->host]);
	pv_cell_u_if(&c[P_EVENTS], p->knows_events, p->events);
	pv_cell_u_if(&c[P_LOST], p->knows_lost, p->lost);
	pv_cell_u_if(&c[P_MEMORY], p->knows_memory, p->memory_bytes);
	pv_cell_i_if(&c[P_START], p->knows_start, p->start_ns - list->zero_ns);
	pv_cell_s(&c[P_REASON], p->log ? NULL : text_or_null(b, p->reason ? p->reason : "not yet"));
	pv_cell_s(&c[P_PROGRAM], program_text(b, p));
	number_if(&c[P_PPID], p->ppid, p->ppid);
	number_if(&c[P_IMAGE], list->indexed, p->image);
	pv_cell_s(&c[P_EXE], text_or_null(b, p->exe));
	pv_cell_s(&c[P_COMMAND], text_or_null(b, p->args));
	pv_cell_s(&c[P_LOG], text_or_null(b, p->log));
	pv_cell_i_if(&c[P_END], p->ended && p->knows_start, p->end_ns - list->zero_ns);
	number_if(&c[P_CODE], p->exited, (uint32_t)p->exit_code);
	number_if(&c[P_SIGNAL], p->killed, (uint32_t)p->signal);
}

/* Figures of the process with the model's log: the model knows more than the index. */
static void fill_shown(struct pv_cell *c, const struct pv_model *m)
{
	pv_cell_u(&c[P_EVENTS], m->events);
	pv_cell_u(&c[P_LOST], m->lost_events);
}

static const char *summed_up(struct pv_build *b, const struct pv_processes *list)
{
	size_t n = list->row.n, recorded = pv_processes_recorded(list);
	if (list->left_out)
		return pv_build_printf(b,
			"%zu processes, %zu recorded; %zu more make no sense or "
			"are beyond the limit",
			n, recorded, list->left_out);
	if (!list->indexed)
		return pv_build_printf(
			b, "%zu logs; the folder has no index, which would say more", n);
	return pv_build_printf(b, "%zu process%s, %zu recorded", n, n == 1 ? "" : "es", recorded);
}

/* At the end of the list: rows without figures. */
static void add_together(struct pv_build *b)
{
	static const struct {
		uint64_t id;
		const char *text;
	} rows[] = {
		{ PV_PROCESSES_TOGETHER, "(all together, by program)" },
		{ PV_PROCESSES_EACH, "(all together, by process)" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(rows) && b->table; i++) {
		bool shown = rows[i].id == b->query->select;
		struct pv_cell *c = pv_build_child(b, rows[i].id, 0, shown ? PV_ROW_MARKED : 0);
		for (size_t k = 0; k < PV_COUNT_OF(columns); k++)
			pv_cell_null(&c[k]);
		pv_cell_s(&c[P_PROGRAM], rows[i].text);
	}
}

static void copy_processes(struct pv_build *b, struct pv_model *m)
{
	const struct pv_processes *list = b->query->processes;
	for (size_t i = 0; list && i < list->row.n && b->table; i++) {
		const struct pv_process *p = &list->row.v[i];
		const uint64_t parent =
			p->parent == PV_PROCESS_ROOT ? 0 : list->row.v[p->parent].id;
		bool shown = p->id == b->query->select;
		struct pv_cell *c = pv_build_child(b, p->id, parent, shown ? PV_ROW_MARKED : 0);
		fill_process_row(b, c, list, p);
		if (shown)
			fill_shown(c, m);
	}
	if (list && b->query->together && pv_processes_recorded(list) > 1)
		add_together(b);
	const char *text = list ? summed_up(b, list) : "a log of one process";
	if (b->table)
		b->table->coverage = text;
}

const struct pv_view_spec pv_spec_processes = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "program",
	.sort = "tree_cpu_ns",
	.then = "start_ns",
	.tree = true,
	.copy = copy_processes };

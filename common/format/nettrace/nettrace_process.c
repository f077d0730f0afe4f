/* SPDX-License-Identifier: MIT */
/*
 * Streams of version 6 may have events of several processes, with methods at the same addresses.
 * The process of the trace object is shown; without one, the process of the first event of .NET.
 */
#include <stdio.h>

#include "common/format/nettrace/nettrace_frame.h"
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_process.h"

/* Command line, system, processor: ep_event_source_send_process_info() of dotnet/runtime. */
void nt_process(struct pv_stream *s, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	uint32_t command = nt_text(d, c), os = nt_text(d, c), arch = nt_text(d, c);
	if (pv_cursor_ok(c) && !s->command) {
		s->command = pv_intern_text(&d->text, command);
		s->os = pv_intern_text(&d->text, os);
		s->arch = pv_intern_text(&d->text, arch);
	}
}

static bool is_of_dotnet(const struct nettrace *d, const struct nt_blob *b)
{
	enum nt_event_kind what = d->kind.v[b->kind].what;
	return what != NT_UNKNOWN && what != NT_QUIET && what != NT_PROCESS;
}

static void count_process(struct nt_processes *p, uint32_t pid)
{
	uint32_t i = 0;
	p->left++;
	while (i < p->n && p->other[i].pid != pid)
		i++;
	if (i == NT_PROCESSES)
		return;
	p->other[i].pid = pid;
	p->other[i].events++;
	p->n += i == p->n;
}

bool nt_is_other(struct nettrace *d, const struct nt_blob *b)
{
	struct nt_processes *p = &d->processes;
	if (!b->pid || d->version != NT_SIX)
		return false;
	if (!p->shown && (d->pid || is_of_dotnet(d, b)))
		p->shown = d->pid ? d->pid : b->pid;
	if (!p->shown || b->pid == p->shown)
		return false;
	count_process(p, b->pid);
	return true;
}

void nt_tell_others(struct pv_stream *s, uint64_t offset, bool end)
{
	struct nt_processes *p = &nt_of(s)->processes;
	char text[NT_PROCESSES * 40 + 160];
	if (p->left == 0 || (end ? p->ended : p->said > 0))
		return;
	p->said = p->left;
	p->ended = end;
	int n = snprintf(text, sizeof text, "the stream has events of %s processes; shown is %u",
		end ? "these" : "several", p->shown);
	for (uint32_t i = 0; end && i < p->n; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, ", not %u (%llu events)",
			p->other[i].pid, (unsigned long long)p->other[i].events);
	nt_mark(s, text, (size_t)n, offset);
}

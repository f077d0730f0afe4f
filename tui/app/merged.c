/* SPDX-License-Identifier: MIT */
/* All processes of a folder as one log: reads each log, adds the figures up, writes a text. */
#include "tui/app/merged.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/export/merge.h"
#include "tui/app/exits.h"
#include "tui/app/feed_of.h"

uint64_t ui_merged_of(const char *word)
{
	return !word                       ? 0
	       : strcmp(word, "all") == 0  ? PV_PROCESSES_TOGETHER
	       : strcmp(word, "each") == 0 ? PV_PROCESSES_EACH
					   : 0;
}

/* The name of a managed program is its assembly's, else the file's. */
static void name_program(const struct pv_process *p, char *to, size_t room)
{
	static const char *const ends[] = { ".exe", ".dll" };
	bool managed = p->host == PV_PROCESS_MONO || p->host == PV_PROCESS_CORECLR;
	snprintf(to, room, "%s", pv_process_name(p));
	for (const char *word = p->args; managed && *word;) {
		size_t n = strcspn(word, " ");
		for (size_t i = 0; i < PV_COUNT_OF(ends); i++) {
			size_t k = strlen(ends[i]);
			if (n <= k || memcmp(word + n - k, ends[i], k) != 0)
				continue;
			const char *slash = memrchr(word, '/', n);
			const char *from = slash ? slash + 1 : word;
			snprintf(to, room, "%.*s", (int)(word + n - from), from);
			return;
		}
		word += n + (word[n] == ' ');
	}
}

/* The frame on top of all stacks of a process; a # in front would make the line a comment. */
static void name_root(const struct pv_process *p, bool each, char *to, size_t room)
{
	char name[201];
	name_program(p, name, sizeof name);
	const char *mark = *name == '#' ? " " : "";
	if (each && p->image)
		snprintf(to, room, "%s%.200s %u.%u", mark, name, p->pid, p->image);
	else if (each)
		snprintf(to, room, "%s%.200s %u", mark, name, p->pid);
	else
		snprintf(to, room, "%s%.200s", mark, name);
}

static bool add_log(struct pv_merge *g, struct ui_merged *m, const struct ui_options *o,
	const char *path, const char *root)
{
	struct pv_error err = { 0 };
	struct ui_feed_status s = { .exit_code = EXIT_INPUT };
	struct ui_feed *f = ui_feed_whole(o, path, NULL, &err);
	if (f)
		ui_feed_status(f, &s);
	bool ok = true;
	if (s.exit_code == EXIT_INPUT)
		m->unread++;
	else
		ok = pv_merge_add(g, ui_feed_adopt(f), root);
	ui_feed_close(f);
	return ok;
}

static bool add_logs(struct pv_merge *g, struct ui_merged *m, const struct ui_options *o,
	const char *folder, const struct pv_processes *list, bool each)
{
	bool ok = true;
	for (size_t i = 0; ok && i < list->row.n; i++) {
		const struct pv_process *p = &list->row.v[i];
		char root[240], *path;
		if (!p->log || asprintf(&path, "%s/%s", folder, p->log) < 0)
			continue;
		name_root(p, each, root, sizeof root);
		ok = add_log(g, m, o, path, root);
		free(path);
	}
	m->logs = g->logs;
	m->walls = g->walls;
	m->timeless = g->timeless;
	return ok;
}

static bool write_text(struct ui_merged *m, struct pv_merge *g, struct pv_error *reterr)
{
	m->fd = memfd_create("processes", MFD_CLOEXEC);
	int copy = m->fd >= 0 ? fcntl(m->fd, F_DUPFD_CLOEXEC, 3) : -1;
	FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
	bool ok = out && pv_merge_write(g, out);
	if (out)
		ok = fclose(out) == 0 && ok;
	else if (copy >= 0)
		close(copy);
	snprintf(m->path, sizeof m->path, "/proc/self/fd/%d", m->fd);
	return ok || pv_fail(reterr, PV_ENOMEM, 0, "no memory for all processes together");
}

static bool merge_no_memory(struct pv_error *reterr)
{
	return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

static bool read_logs(struct pv_merge *g, struct ui_merged *m, const struct ui_options *o,
	const char *folder, const struct pv_processes *list, bool each, struct pv_error *reterr)
{
	if (!add_logs(g, m, o, folder, list, each))
		return merge_no_memory(reterr);
	return m->logs ||
	       pv_fail(reterr, PV_EIO, 0, "none of the processes has a log that can be read");
}

bool ui_merged_make(struct ui_merged *ret, const struct ui_options *o, const char *folder,
	const struct pv_processes *list, bool each, struct pv_error *reterr)
{
	struct pv_merge g;
	struct pv_profile p;
	*ret = (struct ui_merged){ .fd = -1 };
	pv_merge_init(&g, &p);
	bool ok = pv_profile_init(&p) || merge_no_memory(reterr);
	p.waits = o->report.waits;
	p.physical = o->report.physical;
	p.raw_names = true; /* they become readable where they are shown */
	ok = ok && read_logs(&g, ret, o, folder, list, each, reterr) && write_text(ret, &g, reterr);
	pv_profile_clear(&p);
	if (!ok)
		ui_merged_close(ret);
	return ok;
}

bool ui_merged_profile(struct pv_profile *p, struct ui_merged *ret, const struct ui_options *o,
	const char *folder, const struct pv_processes *list, bool each, struct pv_error *reterr)
{
	struct pv_merge g;
	*ret = (struct ui_merged){ .fd = -1 };
	pv_merge_init(&g, p);
	if (!read_logs(&g, ret, o, folder, list, each, reterr))
		return false;
	pv_merge_end(&g);
	return true;
}

void ui_merged_close(struct ui_merged *m)
{
	if (*m->path && m->fd >= 0)
		close(m->fd);
	*m = (struct ui_merged){ .fd = -1 };
}

void ui_merged_words(const struct ui_merged *m, const struct pv_processes *list, bool exported,
	char *to, size_t room)
{
	char walls[80] = "", unread[60] = "";
	size_t without = list->row.n - pv_processes_recorded(list);
	if (m->walls)
		snprintf(walls, sizeof walls,
			" (%zu with samples in wall time, below frames that say so)", m->walls);
	if (m->unread)
		snprintf(unread, sizeof unread, ", %zu could not be read", m->unread);
	snprintf(to, room,
		"%s of %zu process%s%s together, %zu without a log%s; %sheap shots, collections, "
		"threads and times are of one process each",
		exported ? "figures by stack" : "samples and calls", m->logs,
		m->logs == 1 ? "" : "es", walls, without, unread,
		exported ? "" : "allocations, waits, exceptions, ");
}

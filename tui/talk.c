#include "tui/talk.h"

#include <stdlib.h>
#include <string.h>

#include "common/report/report_sections.h"
#include "common/target/joinable.h"
#include "common/target/probe_socket.h"

enum { ANSWER_MS = 10000 };

bool ui_talk_ctl(long pid, char *const *words, int n, FILE *out, struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER] = "", path[PV_PROBE_PATH], answer[PV_PROBE_ANSWER];
	size_t used = 0;
	for (int i = 0; i < n; i++) {
		int k = snprintf(line + used, sizeof line - used, "%s%s", i ? " " : "", words[i]);
		used += (size_t)k;
		if (used >= sizeof line)
			return pv_fail(reterr, PV_EUSAGE, 0, "the line is too long");
	}
	if (!pv_probe_find((pid_t)pid, path, reterr) ||
		!pv_probe_ask(path, (pid_t)pid, line, ANSWER_MS, answer, reterr))
		return false;
	fprintf(out, "ok%s%s\n", *answer ? " " : "", answer);
	return true;
}

static const char *how_to(enum pv_join how)
{
	return how == PV_JOIN_PROBE ? "probe" : how == PV_JOIN_MONO ? "attach" : "diagnostics";
}

/* Well-formed UTF-8 without control characters comes in. */
static void put_json_text(FILE *out, const char *text)
{
	char *clean = pv_report_clean(text, false);
	putc('"', out);
	for (const char *c = clean ? clean : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', out);
		putc(*c, out);
	}
	putc('"', out);
	free(clean);
}

static void put_json(FILE *out, const struct pv_joinables *all)
{
	fputs("[", out);
	for (size_t i = 0; i < all->list.n; i++) {
		const struct pv_joinable *j = &all->list.v[i];
		fprintf(out, "%s\n{\"pid\":%ld,\"join\":\"%s\",\"runtime\":", i ? "," : "",
			(long)j->pid, how_to(j->how));
		put_json_text(out, j->runtime);
		fputs(",\"version\":", out);
		put_json_text(out, j->version);
		fputs(",\"socket\":", out);
		put_json_text(out, j->path);
		fputs(",\"command\":", out);
		put_json_text(out, j->command);
		fputs("}", out);
	}
	fputs(all->list.n ? "\n]\n" : "]\n", out);
}

static int wider(int width, const char *text)
{
	int n = (int)strlen(text);
	return n > width ? n : width;
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void put_text(FILE *out, const struct pv_joinables *all)
{
	int runtime = 7, version = 7;
	for (size_t i = 0; i < all->list.n; i++) {
		runtime = wider(runtime, all->list.v[i].runtime);
		version = wider(version, all->list.v[i].version);
	}
	fprintf(out, "%8s  %-11s  %-*s  %-*s  %s\n", "PID", "BY", runtime, "RUNTIME", version,
		"VERSION", "COMMAND");
	for (size_t i = 0; i < all->list.n; i++) {
		const struct pv_joinable *j = &all->list.v[i];
		char *clean = pv_report_clean(j->command, false);
		fprintf(out, "%8ld  %-11s  %-*s  %-*s  %s\n", (long)j->pid, how_to(j->how), runtime,
			or_dash(j->runtime), version, or_dash(j->version),
			clean ? clean : j->command);
		free(clean);
	}
}

bool ui_talk_ps(FILE *out, bool json, struct pv_error *reterr)
{
	struct pv_joinables all;
	bool ok = pv_joinables_find(&all, reterr);
	if (ok && json)
		put_json(out, &all);
	else if (ok)
		put_text(out, &all);
	pv_joinables_finish(&all);
	return ok;
}

/* SPDX-License-Identifier: MIT */
/* Writes verdicts for people and for build servers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/log_argument.h"
#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "common/base/text/units.h"
#include "common/check/kinds.h"

struct writing {
	const struct pv_check *c;
	FILE *out;
	bool ok;
};

static const char *figure(double v, enum pv_check_unit unit, char buf[64])
{
	switch (unit) {
	case PV_CHECK_BYTES:
		return pv_units_bytes(buf, 64, (uint64_t)llround(v));
	case PV_CHECK_NS:
		return pv_units_ns(buf, 64, llround(v));
	case PV_CHECK_PERCENT:
		snprintf(buf, 64, "%.4g %%", v);
		return buf;
	default:
		snprintf(buf, 64, "%.10g", v);
		return buf;
	}
}

static const char *const unit_word[] = { "count", "bytes", "ns", "percent" };

static const char *limit_of(const struct pv_check_result *r, char buf[200])
{
	const struct pv_check_rule *rule = r->rule;
	snprintf(buf, 200, "%s%s%s%s%s%s", rule->max.given ? "max " : "",
		PV_FIT(rule->max.given ? rule->max.text : "", 50), rule->min.given ? " min " : "",
		PV_FIT(rule->min.given ? rule->min.text : "", 50),
		rule->increase.given ? " max-increase " : "",
		PV_FIT(rule->increase.given ? rule->increase.text : "", 50));
	return buf[0] == ' ' ? buf + 1 : buf;
}

/* A verdict in one line: "12 MiB +- 1 MiB, max 8 MiB: more than 8 MiB". */
static void sentence(const struct pv_check_result *r, char *to, size_t size)
{
	char value[64], error[64], base[64], limit[200];
	int n = 0;
	if (r->measured)
		n = snprintf(to, size, "%s%s%s%s%s, ", figure(r->value, r->unit, value),
			r->error > 0 ? " +- " : "",
			r->error > 0 ? figure(r->error, r->unit, error) : "",
			r->has_baseline ? ", baseline " : "",
			r->has_baseline ? figure(r->baseline, r->unit, base) : "");
	snprintf(to + n, size - (size_t)n, "%s%s%s", limit_of(r, limit), *r->why ? ": " : "",
		r->why);
}

/* --- text --- */

/* "  in A < B < C": innermost first, a few frames. */
static void put_innermost(struct writing *w, const char *stack)
{
	enum { FRAMES = 4 };
	const char *end = stack ? stack + strlen(stack) : NULL;
	for (int n = 0; end && n < FRAMES && end > stack; n++) {
		const char *start = end;
		while (start > stack && start[-1] != '\n')
			start--;
		char frame[300];
		snprintf(frame, sizeof frame, "%.*s", (int)(end - start), start);
		fputs(n ? " < " : "  in ", w->out);
		pv_showable_put(w->out, frame);
		end = start > stack ? start - 1 : stack;
	}
}

static void put_check_text(struct writing *w)
{
	const size_t *n = w->c->verdicts;
	char line[800], value[64];
	for (size_t i = 0; i < w->c->result.n; i++) {
		const struct pv_check_result *r = &w->c->result.v[i];
		fprintf(w->out, "%-8s ", pv_check_verdict_text(r->verdict));
		pv_showable_put(w->out, r->rule->id);
		fputs("  ", w->out);
		sentence(r, line, sizeof line);
		pv_showable_put(w->out, line);
		putc('\n', w->out);
		for (size_t k = 0; k < r->rows && r->verdict != PV_CHECK_PASS; k++) {
			fprintf(w->out, "         %12s  ", figure(r->row[k].value, r->unit, value));
			pv_showable_put(w->out, r->row[k].name);
			put_innermost(w, r->row[k].stack);
			putc('\n', w->out);
		}
		if (r->verdict != PV_CHECK_PASS && *r->section) {
			const bool kept = strcmp(w->c->path, "-") != 0;
			fprintf(w->out, "         %s profview report ",
				kept ? "see" : "keep the log in a file to see");
			pv_put_log_argument(w->out, w->c->path);
			fprintf(w->out, " --section %s\n", r->section);
		}
	}
	fprintf(w->out, "%zu passed, %zu failed, %zu unsure, %zu refused, %zu skipped\n", n[0],
		n[1], n[2], n[3], n[4]);
	if (pv_units_lasted_else(w->c->base_duration_ns, w->c->duration_ns))
		fprintf(w->out, "note: the baseline lasted %s, this log %s\n",
			pv_units_ns(value, sizeof value, w->c->base_duration_ns),
			pv_units_ns(line, sizeof line, w->c->duration_ns));
}

/* --- JSON --- */

static void put_json_text(struct writing *w, const char *lead, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	fputs(lead, w->out);
	if (json)
		fputs(json, w->out);
	w->ok = w->ok && json;
	free(json);
}

static void put_json_number(struct writing *w, const char *lead, bool known, double v)
{
	fputs(lead, w->out);
	if (known)
		fprintf(w->out, "%.17g", v);
	else
		fputs("null", w->out);
}

/* Frames outermost first, as in reports. */
static void put_json_stack(struct writing *w, const char *stack)
{
	if (!stack) {
		fputs(",\"stack\":null", w->out);
		return;
	}
	fputs(",\"stack\":[", w->out);
	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, "\n");
		char *json = pv_showable_json(at, len);
		fputs(at > stack ? "," : "", w->out);
		if (json)
			fputs(json, w->out);
		w->ok = w->ok && json;
		free(json);
		at += len + (at[len] == '\n');
	}
	fputs("]", w->out);
}

static void put_json_result(struct writing *w, const struct pv_check_result *r)
{
	const struct pv_check_rule *rule = r->rule;
	put_json_text(w, "{\"id\":", rule->id);
	put_json_text(w, ",\"rule\":", rule->kind);
	put_json_text(w, ",\"verdict\":", pv_check_verdict_text(r->verdict));
	put_json_text(w, ",\"why\":", r->why);
	put_json_number(w, ",\"measured\":", r->measured, r->value);
	put_json_text(w, ",\"unit\":", unit_word[r->unit]);
	put_json_number(w, ",\"error\":", r->measured, r->error);
	put_json_number(w, ",\"max\":", rule->max.given, rule->max.value);
	put_json_number(w, ",\"min\":", rule->min.given, rule->min.value);
	put_json_number(w, ",\"baseline\":", r->has_baseline, r->baseline);
	put_json_number(w, ",\"change\":", r->has_baseline, r->value - r->baseline);
	put_json_text(w, ",\"match\":", rule->match ? rule->match : "");
	put_json_text(w, ",\"coverage\":{\"what\":", r->what);
	put_json_text(w, ",\"state\":", r->state);
	put_json_text(w, ",\"detail\":", r->detail);
	put_json_text(w, "},\"section\":", r->section);
	fputs(",\"rows\":[", w->out);
	for (size_t k = 0; k < r->rows; k++) {
		put_json_text(w, k ? ",{\"name\":" : "{\"name\":", r->row[k].name);
		put_json_number(w, ",\"value\":", true, r->row[k].value);
		put_json_stack(w, r->row[k].stack);
		fputs("}", w->out);
	}
	fputs("]}", w->out);
}

static void put_check_json(struct writing *w)
{
	fprintf(w->out, "{\"profview\": \"%s\",\n  \"schema\": 1", PV_VERSION);
	put_json_text(w, ",\n  \"log\": {\"path\":", w->c->path);
	put_json_text(w, ",\"options\":", w->c->args);
	fprintf(w->out, ",\"duration_ns\":%" PRId64 "},\n  \"results\": [", w->c->duration_ns);
	for (size_t i = 0; i < w->c->result.n; i++) {
		fputs(i ? ",\n    " : "\n    ", w->out);
		put_json_result(w, &w->c->result.v[i]);
	}
	fputs("\n  ]}\n", w->out);
}

/* --- JUnit: one case a rule, without figures in names, so that builds can be compared --- */

static void put_xml(struct writing *w, const char *text)
{
	char *shown = pv_showable_text(text);
	for (const char *at = shown ? shown : ""; *at; at++) {
		if (strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0) {
			fputs("\xef\xbf\xbd", w->out); /* U+FFFE and U+FFFF are no letters of XML */
			at += 2;
		} else if (*at == '&')
			fputs("&amp;", w->out);
		else if (*at == '<')
			fputs("&lt;", w->out);
		else if (*at == '>')
			fputs("&gt;", w->out);
		else if (*at == '"')
			fputs("&quot;", w->out);
		else
			putc(*at, w->out);
	}
	w->ok = w->ok && shown;
	free(shown);
}

static void put_case(struct writing *w, const struct pv_check_result *r)
{
	static const char *const element[] = { "system-out", "failure", "system-out", "error",
		"skipped" };
	char line[800];
	fputs("    <testcase classname=\"profview.", w->out);
	put_xml(w, r->rule->kind);
	fputs("\" name=\"", w->out);
	put_xml(w, r->rule->id);
	fprintf(w->out, "\" time=\"0\">\n      <%s", element[r->verdict]);
	sentence(r, line, sizeof line);
	if (r->verdict != PV_CHECK_PASS && r->verdict != PV_CHECK_UNSURE) {
		fputs(" message=\"", w->out);
		put_xml(w, line);
		fputs("\"", w->out);
	}
	fputs(">", w->out);
	put_xml(w, pv_check_verdict_text(r->verdict));
	fputs(": ", w->out);
	put_xml(w, line);
	fprintf(w->out, "</%s>\n    </testcase>\n", element[r->verdict]);
}

static void put_junit(struct writing *w)
{
	const size_t *n = w->c->verdicts;
	fprintf(w->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
		"name=\"profview\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
		"time=\"0\">\n",
		w->c->result.n, n[PV_CHECK_FAIL], n[PV_CHECK_REFUSED], n[PV_CHECK_SKIPPED]);
	for (size_t i = 0; i < w->c->result.n; i++)
		put_case(w, &w->c->result.v[i]);
	fputs("  </testsuite>\n</testsuites>\n", w->out);
}

/* --- Markdown --- */

static void put_marked(struct writing *w, const char *text)
{
	char *shown = pv_showable_text(text);
	for (const char *at = shown ? shown : ""; *at; at++) {
		if (strchr("|\\`*_<>[]&~", *at))
			putc('\\', w->out);
		putc(*at, w->out);
	}
	w->ok = w->ok && shown;
	free(shown);
}

static void put_markdown(struct writing *w)
{
	char value[64], limit[200];
	fputs("| verdict | rule | measured | limit | why |\n|---|---|--:|---|---|\n", w->out);
	for (size_t i = 0; i < w->c->result.n; i++) {
		const struct pv_check_result *r = &w->c->result.v[i];
		fprintf(w->out, "| %s | ", pv_check_verdict_text(r->verdict));
		put_marked(w, r->rule->id);
		fprintf(w->out, " | %s | ", r->measured ? figure(r->value, r->unit, value) : "-");
		put_marked(w, limit_of(r, limit));
		fputs(" | ", w->out);
		put_marked(w, r->why);
		fputs(" |\n", w->out);
	}
}

/* --- GitHub's lines --- */

static void put_escaped(struct writing *w, const char *text, bool property)
{
	char *shown = pv_showable_text(text);
	for (const char *at = shown ? shown : ""; *at; at++) {
		if (*at == '%' || (property && (*at == ':' || *at == ',')))
			fprintf(w->out, "%%%02X", (unsigned char)*at);
		else
			putc(*at, w->out);
	}
	w->ok = w->ok && shown;
	free(shown);
}

static void put_github(struct writing *w)
{
	static const char *const level[] = { NULL, "error", "warning", "error", "notice" };
	char line[800];
	for (size_t i = 0; i < w->c->result.n; i++) {
		const struct pv_check_result *r = &w->c->result.v[i];
		if (!level[r->verdict])
			continue;
		fprintf(w->out, "::%s title=", level[r->verdict]);
		put_escaped(w, r->rule->id, true);
		fputs("::", w->out);
		sentence(r, line, sizeof line);
		put_escaped(w, line, false);
		putc('\n', w->out);
	}
}

static const struct {
	const char *name;
	void (*put)(struct writing *w);
} formats[] = { { "text", put_check_text }, { "json", put_check_json }, { "junit", put_junit },
	{ "md", put_markdown }, { "github", put_github } };

static int format_of(const char *name, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(formats); i++)
		if (strlen(formats[i].name) == len && strncmp(formats[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

bool pv_check_format(const char *name, size_t len)
{
	return format_of(name, len) >= 0;
}

bool pv_check_write(const struct pv_check *c, const char *format, size_t len, FILE *out)
{
	struct writing w = { .c = c, .out = out, .ok = true };
	formats[format_of(format, len)].put(&w);
	return w.ok;
}

/* --- a first file --- */

/* A rule as a user would type, in the largest fitting unit, rounded up to a tenth. */
static void put_rule(FILE *out, const struct pv_check_result *r)
{
	static const struct {
		double size;
		const char *unit;
	} bytes[] = { { 1 << 30, "GiB" }, { 1 << 20, "MiB" }, { 1 << 10, "KiB" }, { 1, "B" } },
	  times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } }, *at = NULL;
	double most = r->value * 1.2;
	at = r->unit == PV_CHECK_BYTES ? bytes : r->unit == PV_CHECK_NS ? times : NULL;
	while (at && at->size > 1 && at->size > most)
		at++;
	fprintf(out, "\n[rule %s]\nkind = %s\n", r->rule->kind, r->rule->kind);
	if (at && at->size > 1)
		fprintf(out, "max = %.1f", ceil(10 * most / at->size) / 10);
	else
		fprintf(out, "max = %.0f", ceil(most));
	pv_showable_put(out, at ? at->unit : "");
	putc('\n', out);
}

bool pv_check_init(struct pv_model *m, FILE *out, struct pv_error *reterr)
{
	struct pv_check_set set = { 0 };
	struct pv_check c;
	bool ok = true;
	for (size_t i = 0; ok && i < pv_check_kind_count; i++) {
		const struct pv_check_kind *k = &pv_check_kinds[i];
		static const char *const none[] = { "0", "0B", "0ns", "0%" };
		char text[80];
		snprintf(text, sizeof text, "%s max=%s", k->kind, none[k->unit]);
		ok = !(k->flags & PV_CHECK_INIT) || pv_check_add(text, &set, reterr);
	}
	if (!ok || !pv_check_judge(m, "", &set, NULL, &c, reterr)) {
		pv_check_set_clear(&set);
		return false;
	}
	fputs("# The figures of one log and a fifth above them.\n[check]\nversion = 1\n", out);
	for (size_t i = 0; i < c.result.n; i++)
		if (c.result.v[i].measured && strcmp(c.result.v[i].rule->kind, "loss") != 0)
			put_rule(out, &c.result.v[i]);
	pv_check_clear(&c);
	pv_check_set_clear(&set);
	return true;
}

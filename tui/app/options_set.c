/* One function an option: reads its argument. */
#include "tui/app/options_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/check/check.h"
#include "common/compare/diff.h"
#include "tui/draw/time_range.h"

enum { MAX_SIDE = 1000, MS_NS = 1000000 };

/* False, with the option and what it wants. */
static bool bad_value(const struct ui_parse *p, const char *wants, const char *value)
{
	return pv_fail(
		p->err, PV_EUSAGE, 0, "%s wants %s, not \"%s\"", p->name, wants, PV_FIT(value, 60));
}

bool ui_set_help(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->help = true;
}

bool ui_set_version(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->version = true;
}

bool ui_set_follow(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->follow = true;
}

bool ui_set_no_index(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->no_index = true;
}

bool ui_set_readonly(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->readonly = true;
}

bool ui_set_ascii(const struct ui_parse *p, const char *value)
{
	(void)value;
	p->o->glyphs = UI_GLYPHS_ASCII;
	return p->o->glyphs_given = true;
}

bool ui_set_glyphs(const struct ui_parse *p, const char *value)
{
	p->o->glyphs = ui_glyphs_of(value);
	p->o->glyphs_given = true;
	return p->o->glyphs < UI_GLYPHS_COUNT || bad_value(p, "block, braille or ascii", value);
}

bool ui_set_dump(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->dump = true;
}

bool ui_set_record(const struct ui_parse *p, const char *value)
{
	p->o->record = value;
	return true;
}

bool ui_set_keys(const struct ui_parse *p, const char *value)
{
	p->o->keys = value;
	return true;
}

bool ui_set_spool(const struct ui_parse *p, const char *value)
{
	return (pv_units_parse_bytes(value, &p->o->spool_limit) && p->o->spool_limit > 0) ||
	       bad_value(p, "a size like 512MiB", value);
}

bool ui_set_color(const struct ui_parse *p, const char *value)
{
	static const char *const words[] = { "auto", "always", "never" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		if (strcmp(words[i], value) == 0) {
			p->o->color = (enum ui_color)i;
			return true;
		}
	}
	return bad_value(p, "auto, always or never", value);
}

bool ui_set_size(const struct ui_parse *p, const char *value)
{
	char *end;
	long w = strtol(value, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
	if (*end || w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE)
		return bad_value(p, "COLUMNSxROWS, like 120x36", value);
	p->o->w = (int)w;
	p->o->h = (int)h;
	return true;
}

bool ui_number(const char *text, unsigned long max, unsigned long *ret)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n > max)
		return false;
	*ret = n;
	return true;
}

bool ui_set_jobs(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (!ui_number(value, 1024, &n) || n < 1)
		return bad_value(p, "a number from 1 on", value);
	p->o->jobs = (unsigned)n;
	return true;
}

static bool add_check_format(const struct ui_parse *p, const char *value)
{
	size_t len = strcspn(value, "=");
	if (!pv_check_format(value, len) || (value[len] && !value[len + 1]))
		return bad_value(p, "text, json, junit, md or github, and =FILE", value);
	if ((size_t)p->o->n_format == PV_COUNT_OF(p->o->format))
		return pv_fail(p->err, PV_EUSAGE, 0, "too many --format");
	p->o->format[p->o->n_format++] = value;
	return true;
}

bool ui_set_format(const struct ui_parse *p, const char *value)
{
	if (p->o->verb == UI_VERB_CHECK)
		return add_check_format(p, value);
	if (p->o->verb == UI_VERB_BRIEF && strcmp(value, "md") != 0 && strcmp(value, "json") != 0)
		return bad_value(p, "md or json", value);
	if (p->o->verb == UI_VERB_PS && strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
		return bad_value(p, "text or json", value);
	return pv_report_format_of(value, &p->o->report.format) ||
	       bad_value(p, "text, json, csv or md", value);
}

bool ui_set_section(const struct ui_parse *p, const char *value)
{
	p->o->report.sections = value;
	return true;
}

bool ui_set_sort(const struct ui_parse *p, const char *value)
{
	p->o->report.sort = value;
	return true;
}

bool ui_set_filter(const struct ui_parse *p, const char *value)
{
	p->o->report.filter = value;
	return true;
}

bool ui_set_group(const struct ui_parse *p, const char *value)
{
	p->o->report.group = value;
	return true;
}

bool ui_set_split(const struct ui_parse *p, const char *value)
{
	p->o->report.split = value;
	return true;
}

bool ui_set_in(const struct ui_parse *p, const char *value)
{
	p->o->report.in = value;
	return true;
}

bool ui_set_limit(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (!ui_number(value, 1000000000, &n))
		return bad_value(p, "a number of rows, 0 for all", value);
	p->o->report.limit = n;
	p->o->report.limited = true;
	return true;
}

bool ui_set_shot(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (!ui_number(value, UINT32_MAX - 1, &n))
		return bad_value(p, "the number of a heap shot, counted from 0", value);
	p->o->report.shot.index = (uint32_t)n;
	return p->o->report.has_shot = true;
}

bool ui_set_base(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (p->o->verb == UI_VERB_VIEW) {
		p->o->base_path = value;
		return *value || bad_value(p, "a log", value);
	}
	if (!ui_number(value, UINT32_MAX - 1, &n))
		return bad_value(p, "the number of a heap shot, counted from 0", value);
	p->o->report.base = (uint32_t)n;
	return p->o->report.has_base = true;
}

bool ui_set_by(const struct ui_parse *p, const char *value)
{
	return pv_report_match_of(value, &p->o->report.by) ||
	       bad_value(p, "identity, address or class", value);
}

bool ui_set_names(const struct ui_parse *p, const char *value)
{
	if (p->o->verb == UI_VERB_DIFF && strcmp(value, "exact") == 0)
		return p->o->report.raw_names = true;
	return pv_report_names_of(value, &p->o->report.raw_names) ||
	       bad_value(p, p->o->verb == UI_VERB_DIFF ? "readable or exact" : "readable or raw",
		       value);
}

bool ui_set_waits(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->report.waits = true;
}

bool ui_set_my_code(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->report.my_code = true;
}

bool ui_set_object(const struct ui_parse *p, const char *value)
{
	char *end;
	errno = 0;
	p->o->report.object = strtoull(value, &end, 16);
	if (strncmp(value, "0x", 2) != 0 || !value[2] || *end || errno)
		return bad_value(p, "an address, 0x...", value);
	return p->o->report.has_object = true;
}

bool ui_set_require_baseline(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->require_baseline = true;
}

bool ui_set_kind(const struct ui_parse *p, const char *value)
{
	p->o->kind = value;
	return *value || bad_value(p, "kinds of events, like gc or method.jit", value);
}

bool ui_set_method(const struct ui_parse *p, const char *value)
{
	p->o->report.method = value;
	return *value || bad_value(p, "the name of a method", value);
}

bool ui_set_class(const struct ui_parse *p, const char *value)
{
	p->o->report.of_class = value;
	return *value || bad_value(p, "the name of a class", value);
}

bool ui_set_set(const struct ui_parse *p, const char *value)
{
	struct pv_report_options *r = &p->o->report;
	if (!*value || r->sets_n == UI_SETS)
		return bad_value(p, "a filter, 8 times at most", value);
	p->o->set[r->sets_n++] = (struct pv_named_set){ value, value };
	return true;
}

bool ui_set_retained(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->report.shot.retained = true;
}

bool ui_set_weak(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->report.shot.weak = true;
}

bool ui_set_thread(const struct ui_parse *p, const char *value)
{
	p->o->thread = value;
	return value[0] || bad_value(p, "a thread's id or name", value);
}

bool ui_set_process(const struct ui_parse *p, const char *value)
{
	p->o->process = value;
	return value[0] || bad_value(p, "a process's number or name", value);
}

bool ui_set_output(const struct ui_parse *p, const char *value)
{
	p->o->output = value;
	return value[0] || bad_value(p, "a file's name, or - for standard output", value);
}

bool ui_set_to(const struct ui_parse *p, const char *value)
{
	p->o->to = value;
	return true;
}

bool ui_set_measure(const struct ui_parse *p, const char *value)
{
	p->o->measure = value;
	return true;
}

bool ui_set_data_version(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (!ui_number(value, 17, &n) || n < 1)
		return bad_value(p, "a number from 1 to 17", value);
	p->o->data_version = (unsigned)n;
	return true;
}

bool ui_set_range(const struct ui_parse *p, const char *value)
{
	struct ui_range r;
	if (!ui_range_parse(value, &r))
		return bad_value(
			p, "FROM..TO, like 1.5s..00:01:12, -10s.. or @14:05..@14:06", value);
	if (r.from_ns >= r.to_ns && !r.relative)
		return bad_value(p, "a range that begins before it ends", value);
	p->o->ranged = true;
	p->o->from_ns = r.from_ns;
	p->o->to_ns = r.to_ns;
	p->o->relative = r.relative;
	return true;
}

bool ui_set_calls(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->calls = true;
}

bool ui_set_alloc(const struct ui_parse *p, const char *value)
{
	uint64_t bytes;
	p->o->alloc = value ? value : "";
	return !value || strcmp(value, "off") == 0 ||
	       (pv_units_parse_bytes(value, &bytes) && bytes > 0) ||
	       bad_value(p, "a size like 512k, or off", value);
}

bool ui_set_sample(const struct ui_parse *p, const char *value)
{
	unsigned long hz;
	p->o->sample = value ? value : "";
	return !value || ui_number(value, 10000, &hz) ||
	       bad_value(p, "a number of times a second, 10000 at most", value);
}

/* A time may have any unit; the probes, like Mono's own profiler, know ms only. */
static bool shot_time(struct ui_options *o, const char *value)
{
	int64_t ns;
	size_t len = strlen(value), digits = strspn(value, "0123456789.:");
	if (digits == len || !pv_units_parse_time(value, len, &ns) || ns < MS_NS)
		return false;
	snprintf(o->shot_period, sizeof o->shot_period, "%" PRId64 "ms", ns / MS_NS);
	o->heapshot = o->shot_period;
	return true;
}

bool ui_set_heapshot(const struct ui_parse *p, const char *value)
{
	p->o->heapshot = value ? value : "";
	return !value || shot_time(p->o, value) || (*value && !strpbrk(value, ", ")) ||
	       bad_value(p, "a mode, like 5gc or 10s", value);
}

bool ui_set_leaks(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->leaks = true;
}

bool ui_set_inject(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->inject = true;
}

bool ui_set_via(const struct ui_parse *p, const char *value)
{
	p->o->via = value;
	return strcmp(value, "auto") == 0 || strcmp(value, "probe") == 0 ||
	       strcmp(value, "events") == 0 || bad_value(p, "auto, probe or events", value);
}

bool ui_set_meter(const struct ui_parse *p, const char *value)
{
	struct ui_options *o = p->o;
	if (!*value || strpbrk(value, " \"';=") || strlen(value) > 60 ||
		o->n_meter >= (int)PV_COUNT_OF(o->meter))
		return bad_value(p, "up to 8 meters, like Shop.*", value);
	o->meter[o->n_meter++] = value;
	return true;
}

bool ui_set_probe(const struct ui_parse *p, const char *value)
{
	p->o->probe = value;
	return (*value && !strpbrk(value, " \"'")) || bad_value(p, "words without blanks", value);
}

bool ui_set_per(const struct ui_parse *p, const char *value)
{
	struct pv_diff_options per;
	p->o->per = value;
	return pv_diff_per_of(value, &per) ||
	       bad_value(p, "none, share, second, sample, call:METHOD or counter:NAME", value);
}

bool ui_set_base_range(const struct ui_parse *p, const char *value)
{
	struct ui_range r;
	if (!ui_range_parse(value, &r))
		return bad_value(
			p, "FROM..TO, like 1.5s..00:01:12, -10s.. or @14:05..@14:06", value);
	if (r.from_ns >= r.to_ns && !r.relative)
		return bad_value(p, "a range that begins before it ends", value);
	p->o->base_ranged = true;
	p->o->base_from_ns = r.from_ns;
	p->o->base_to_ns = r.to_ns;
	p->o->base_relative = r.relative;
	return true;
}

bool ui_set_all(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->all = true;
}

bool ui_set_rules(const struct ui_parse *p, const char *value)
{
	p->o->rules = value;
	return *value || bad_value(p, "a file of rules", value);
}

bool ui_set_rule(const struct ui_parse *p, const char *value)
{
	if ((size_t)p->o->n_rule == PV_COUNT_OF(p->o->rule))
		return pv_fail(
			p->err, PV_EUSAGE, 0, "too many --rule; --rules reads a file of them");
	p->o->rule[p->o->n_rule++] = value;
	return true;
}

bool ui_set_baseline(const struct ui_parse *p, const char *value)
{
	p->o->baseline = value;
	return *value || bad_value(p, "a log, or what --save-baseline wrote", value);
}

bool ui_set_save_baseline(const struct ui_parse *p, const char *value)
{
	p->o->save_baseline = value;
	return *value || bad_value(p, "a file's name", value);
}

bool ui_set_init(const struct ui_parse *p, const char *value)
{
	(void)value;
	return p->o->init = true;
}

bool ui_set_budget(const struct ui_parse *p, const char *value)
{
	unsigned long n;
	if (!ui_number(value, 10000000, &n) || n < 500)
		return bad_value(p, "a number of characters from 500 on", value);
	p->o->budget = n;
	return true;
}

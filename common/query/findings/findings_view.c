/* SPDX-License-Identifier: MIT */
/* The view of findings: judges every rule, and puts causes before their symptoms. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/query/findings/rule.h"
#include "common/query/groups/readable.h"

enum { SCORE_NOTE = 25, SCORE_WARN = 50, SCORE_SEVERE = 75, SCORE_MOST = 100 };
enum { MAX_RULES = 40 };

/* --- for the rules --- */

static double between(double v, double from, double to, double score)
{
	return to > from ? score + 25 * (v - from) / (to - from) : score;
}

double pv_scale_score(double v, double note, double warn, double bad)
{
	if (!(v > 0))
		return 0;
	if (v < note)
		return between(v, 0, note, 0);
	if (v < warn)
		return between(v, note, warn, SCORE_NOTE);
	if (v < bad)
		return between(v, warn, bad, SCORE_WARN);
	double high = between(v, bad, 2 * bad, SCORE_SEVERE);
	return high < SCORE_MOST ? high : SCORE_MOST;
}

double pv_score_of_allocation(const struct pv_judge *j, double score, double bytes, double objects)
{
	enum { LEAST = 15 }; /* score of an allocation without cost: fine */
	const double seconds = j->wall_ns / 1e9, all = (double)j->sum.allocated_bytes;
	if (!(seconds > 0))
		return 0;
	/* The bytes' part of the stops, if all bytes are equal; the cost of making them. */
	const double stops = j->pause_part > 0 && all > 0 ? j->pause_part * bytes / all : 0;
	const double cost[] = { pv_scale_score(stops, 0.01, 0.04, 0.12),
		pv_scale_score(bytes / seconds, 8e6, 25e6, 500e6),
		pv_scale_score(objects / seconds, 4e3, 15e3, 500e3) };
	double most = 0;
	for (size_t i = 0; i < PV_COUNT_OF(cost); i++)
		most = cost[i] > most ? cost[i] : most;
	return score < LEAST + most ? score : LEAST + most;
}

void pv_finding_say(struct pv_finding *f, double score, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(f->text, sizeof f->text, format, args);
	va_end(args);
	f->judged = true;
	f->score = score;
}

void pv_finding_skip(struct pv_finding *f, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(f->text, sizeof f->text, format, args);
	va_end(args);
	f->judged = false;
	f->score = 0;
}

struct pv_table *pv_judge_table(const struct pv_judge *j, struct pv_finding *f,
	const struct pv_view_spec *spec, enum pv_view view, const char *sort, size_t limit)
{
	struct pv_query q = { .groups = j->query->groups,
		.identity = j->query->identity,
		.heap = j->query->heap,
		.my_code = j->own_code,
		.hide_internal = true,
		.inner = true,
		.sort = sort,
		.limit = limit };
	struct pv_table *t = pv_spec_table(j->m, spec, view, &q);
	if (!t)
		pv_finding_skip(f, "out of memory");
	return t;
}

double pv_judge_value(const struct pv_table *t, size_t row, const char *column)
{
	int i = pv_table_column(t, column);
	if (i < 0 || row >= t->rows || t->row[row].cell[i].state != PV_CELL_VALUE)
		return 0;
	const struct pv_cell *c = &t->row[row].cell[i];
	switch (t->column[i].unit) {
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return c->d;
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return (double)c->i;
	case PV_UNIT_TEXT:
	case PV_UNIT_LIST:
		return 0;
	default:
		return (double)c->u;
	}
}

const char *pv_judge_text(const struct pv_table *t, size_t row, const char *column)
{
	int i = pv_table_column(t, column);
	if (i < 0 || row >= t->rows || t->row[row].cell[i].state != PV_CELL_VALUE ||
		!t->row[row].cell[i].s)
		return "";
	return t->row[row].cell[i].s;
}

const char *pv_judge_shown(struct pv_table *t, size_t row, const char *column)
{
	int i = pv_table_column(t, column);
	if (!pv_judge_text(t, row, column)[0] || !pv_table_readable(t, i))
		return pv_judge_text(t, row, column);
	return pv_cell_shown(t, &t->row[row].cell[i]).s;
}

const char *pv_judge_class(const struct pv_judge *j, const char *raw, char *to, size_t room)
{
	bool name = j->query->readable && !strpbrk(raw, "(:");
	return name && pv_readable_class(raw, strlen(raw), PV_NAME_READABLE, to, room) ? to : raw;
}

/* Uses the tables' name of the class in the sentence; the subject stays as filters take names. */
static void name_class(const struct pv_judge *j, struct pv_finding *f)
{
	char name[PV_FINDING_TEXT], text[PV_FINDING_TEXT];
	const char *shown = pv_judge_class(j, f->subject, name, sizeof name);
	const char *at = f->subject[0] && shown != f->subject ? strstr(f->text, f->subject) : NULL;
	if (!at)
		return;
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - f->text), f->text, shown,
		at + strlen(f->subject));
	memcpy(f->text, text, sizeof text);
}

/* --- judging --- */

static double wall_of(struct pv_model *m, double *ret_from)
{
	pv_model_lock(m);
	double wall = 0;
	if (m->events) {
		int64_t from = 0, to = pv_sat_span(m->zero_ns, m->last_ns);
		if (m->only.ranged && m->only.from_ns > from)
			from = m->only.from_ns;
		if (m->only.ranged && m->only.to_ns < to)
			to = m->only.to_ns;
		wall = to > from ? (double)to - (double)from : 0;
		*ret_from = (double)from;
	}
	pv_model_unlock(m);
	return wall;
}

static void read_judge(struct pv_judge *j)
{
	pv_view_summary(j->m, &j->sum);
	pv_view_totals(j->m, &j->totals);
	j->way = j->sum.recorder;
	j->wall_ns = wall_of(j->m, &j->from_ns);
	bool known = j->totals.known & (PV_GROUP_GC | PV_GROUP_PAUSES) && j->sum.pauses_recorded;
	j->pause_part = known && j->wall_ns > 0 ? (double)j->sum.pause_ns / j->wall_ns : -1;
}

/* So many events are missing that true shares may differ. */
static bool is_lossy(const struct pv_judge *j)
{
	return j->sum.damaged || (double)j->sum.lost_events > 0.01 * (double)j->sum.events;
}

/* A brief run is mostly start-up: shares say little about the program. */
static bool is_brief(const struct pv_judge *j)
{
	return j->wall_ns < 2e9;
}

/* Squeezes a score into the range of notes, in the same order. */
static double as_note(double score)
{
	const double most = SCORE_WARN - 1;
	if (score <= SCORE_NOTE)
		return score;
	return SCORE_NOTE + (most - SCORE_NOTE) * (score - SCORE_NOTE) / (SCORE_MOST - SCORE_NOTE);
}

static void judge_one(const struct pv_judge *j, const struct pv_rule *rule, struct pv_finding *f)
{
	*f = (struct pv_finding){ 0 };
	char words[PV_FINDING_TEXT];
	if (rule->needs && !(j->totals.known & rule->needs)) {
		pv_finding_skip(f, "%s; %s",
			j->way == PV_RECORDER_EVENTS ? "none is in the stream" : "not recorded",
			pv_way_says(rule, j->way, words, sizeof words));
		return;
	}
	if (rule->needs && j->way == PV_RECORDER_NATIVE && !rule->records[j->way]) {
		pv_finding_skip(f, "%s", pv_way_says(rule, j->way, words, sizeof words));
		return;
	}
	rule->judge(j, f);
	name_class(j, f);
}

/* Puts the cause before its symptom by score, so that the cause is at least as grave. */
static void put_before(struct pv_finding *cause, double own, struct pv_finding *symptom)
{
	if (symptom->score < SCORE_NOTE)
		return;
	double score = symptom->score + 1 + own / 20; /* of several causes the worst first */
	score = score < SCORE_MOST ? score : SCORE_MOST;
	cause->score = cause->score > score ? cause->score : score;
	if (symptom->score > cause->score - 1)
		symptom->score = cause->score - 1;
}

/* A cause may be the symptom of another cause: one pass per link. */
static void put_causes_first(struct pv_finding *f)
{
	enum { LINKS = 3 };
	double own[MAX_RULES];
	for (size_t i = 0; i < pv_rule_count; i++)
		own[i] = f[i].score;
	for (size_t i = 0; i < LINKS * pv_rule_count; i++) {
		const size_t k = pv_rule_count - 1 - i % pv_rule_count;
		for (size_t e = 0; e < PV_COUNT_OF(pv_rules[k].explains); e++) {
			const char *id = pv_rules[k].explains[e];
			const struct pv_rule *rule =
				id && own[k] >= SCORE_WARN ? pv_rule_of(id) : NULL;
			if (rule)
				put_before(&f[k], own[k], &f[rule - pv_rules]);
		}
	}
}

/* --- the table --- */

enum { F_SCORE, F_VERDICT, F_TEXT, F_ID, F_VIEW, F_SUBJECT, F_ADVICE, F_FROM, F_TO, F_ORDER };

static const struct pv_column finding_columns[] = {
	[F_SCORE] = { "score", "SCORE", PV_UNIT_NUMBER, 5, 0, .json = 2,
		.help = "How grave it is: 75 is severe, 50 a warning" },
	[F_VERDICT] = { "verdict", "VERDICT", PV_UNIT_TEXT, 10, 2, PV_COLUMN_ASCENDING, .json = 3,
		.help = "Severe, warning, note, or why it was not judged" },
	[F_TEXT] = { "text", "WHAT IS WRONG", PV_UNIT_TEXT, 40, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 4 },
	[F_ID] = { "finding", "RULE", PV_UNIT_TEXT, 18, 1, PV_COLUMN_ASCENDING, .json = 1,
		.help = "The rule's name" },
	[F_VIEW] = { "view", "EVIDENCE", PV_UNIT_TEXT, 16, 3, PV_COLUMN_ASCENDING, .json = 6,
		.help = "Where its evidence is; Enter goes there" },
	[F_SUBJECT] = { "subject", "SUBJECT", PV_UNIT_TEXT, 24, 4, PV_COLUMN_HIDE_SCREEN,
		.json = 5 },
	[F_ADVICE] = { "advice", "WHAT TO TRY", PV_UNIT_TEXT, 40, 5, PV_COLUMN_HIDE_SCREEN,
		.json = 7 },
	[F_FROM] = { "from_ns", "FROM", PV_UNIT_TIME, 13, 5, .flags = PV_COLUMN_HIDE_SCREEN },
	[F_TO] = { "to_ns", "TO", PV_UNIT_TIME, 13, 5, .flags = PV_COLUMN_HIDE_SCREEN },
	[F_ORDER] = { "order", "ORDER", PV_UNIT_COUNT, 5, 6,
		.flags = PV_COLUMN_HIDE_SCREEN | PV_COLUMN_ASCENDING },
};

/* Whole points: thresholds justify no further digits. */
static unsigned points(const struct pv_finding *f)
{
	return (unsigned)(f->score + 0.5);
}

static const char *verdict(const struct pv_finding *f)
{
	if (!f->judged)
		return "not judged";
	if (points(f) >= SCORE_SEVERE)
		return "severe";
	if (points(f) >= SCORE_WARN)
		return "warning";
	return points(f) >= SCORE_NOTE ? "note" : "fine";
}

static enum pv_view evidence_of(const struct pv_rule *rule, const struct pv_finding *f)
{
	return f->by_stack ? PV_VIEW_HELD : rule->view;
}

static void add_finding_row(struct pv_build *b, size_t i, const struct pv_finding *f)
{
	const struct pv_rule *rule = &pv_rules[i];
	struct pv_cell *c = pv_build_row(b, i + 1);
	if (f->judged)
		pv_cell_d(&c[F_SCORE], (double)points(f));
	else
		pv_cell_null(&c[F_SCORE]);
	pv_cell_s(&c[F_VERDICT], verdict(f));
	pv_cell_s(&c[F_TEXT], pv_build_text(b, f->text));
	pv_cell_s(&c[F_ID], rule->id);
	pv_cell_s(&c[F_VIEW], pv_view_name(evidence_of(rule, f)));
	pv_cell_s(&c[F_SUBJECT], f->subject[0] ? pv_build_text(b, f->subject) : NULL);
	pv_cell_s(&c[F_ADVICE], rule->advice);
	pv_cell_i_if(&c[F_FROM], f->from_ns < f->to_ns, f->from_ns);
	pv_cell_i_if(&c[F_TO], f->from_ns < f->to_ns, f->to_ns);
	pv_cell_u(&c[F_ORDER], i);
}

static bool is_fine(const struct pv_finding *f)
{
	return f->judged && f->score < SCORE_NOTE;
}

/* One row for all rules that are fine, with the greatest of their scores. */
static void add_fine(struct pv_build *b, const struct pv_finding *f)
{
	char rules[PV_FINDING_TEXT] = "";
	size_t n = 0, at = 0;
	double most = 0;
	for (size_t i = 0; i < pv_rule_count; i++) {
		if (!is_fine(&f[i]))
			continue;
		if (at < sizeof rules)
			at += (size_t)snprintf(rules + at, sizeof rules - at, "%s%s",
				n ? ", " : ": ", pv_rules[i].id);
		most = f[i].score > most ? f[i].score : most;
		n++;
	}
	if (!n)
		return;
	struct pv_cell *c = pv_build_row(b, pv_rule_count + 1);
	for (size_t i = 0; i < PV_COUNT_OF(finding_columns); i++)
		pv_cell_null(&c[i]);
	pv_cell_d(&c[F_SCORE], (double)(unsigned)(most + 0.5));
	pv_cell_s(&c[F_VERDICT], "fine");
	pv_cell_s(&c[F_TEXT], pv_build_printf(b, "%zu looked at and fine%s", n, rules));
	pv_cell_u(&c[F_ORDER], pv_rule_count);
}

static void run_findings(struct pv_build *b, struct pv_model *m)
{
	struct pv_finding f[MAX_RULES] = { 0 };
	struct pv_judge j = { .m = m, .query = b->query };
	pv_model_lock(m);
	pv_build_stamp(b, m);
	pv_model_unlock(m);
	read_judge(&j);
	for (size_t i = 0; i < pv_rule_count; i++)
		judge_one(&j, &pv_rules[i], &f[i]);
	put_causes_first(f);
	const bool notes = is_lossy(&j) || is_brief(&j);
	for (size_t i = 0; notes && i < pv_rule_count; i++)
		if (pv_rules[i].needs) /* other rules check both themselves */
			f[i].score = as_note(f[i].score);
	size_t judged = 0;
	for (size_t i = 0; i < pv_rule_count; i++) {
		if (!b->query->pools || !is_fine(&f[i]))
			add_finding_row(b, i, &f[i]);
		judged += f[i].judged;
	}
	if (b->query->pools)
		add_fine(b, f);
	const char *line = pv_build_printf(b,
		"%zu of %zu rules judged; the others say what they need%s", judged, pv_rule_count,
		is_lossy(&j)   ? "; events are missing: nothing is more than a note"
		: is_brief(&j) ? "; less than 2 s: nothing is more than a note"
			       : "");
	if (b->table)
		b->table->coverage = line;
}

const struct pv_view_spec pv_spec_findings = { .column = finding_columns,
	.columns = PV_COUNT_OF(finding_columns),
	.name = "text",
	.sort = "score",
	.then = "order",
	.run = run_findings };

/* --- facts of one finding --- */

enum { FACT_WHAT, FACT_TEXT };

static const struct pv_column fact_columns[] = {
	[FACT_WHAT] = { "what", "WHAT", PV_UNIT_TEXT, 14, 0, .flags = PV_COLUMN_ASCENDING },
	[FACT_TEXT] = { "detail", "OF THIS RULE", PV_UNIT_TEXT, 40, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void add_fact(struct pv_build *b, const char *what, const char *text)
{
	if (!b->table || !text[0])
		return;
	struct pv_cell *c = pv_build_row(b, b->table->rows + 1);
	pv_cell_s(&c[FACT_WHAT], what);
	pv_cell_s(&c[FACT_TEXT], pv_build_text(b, text));
}

static void add_facts(struct pv_build *b, const struct pv_judge *j, const struct pv_rule *rule,
	const struct pv_finding *f)
{
	char text[PV_FINDING_TEXT], from[PV_UNIT_MAX], to[PV_UNIT_MAX];
	add_fact(b, f->judged ? "what is wrong" : "not judged", f->text);
	add_fact(b, "about", pv_judge_class(j, f->subject, text, sizeof text));
	snprintf(text, sizeof text, "%s to %s", pv_units_clock(from, sizeof from, f->from_ns),
		pv_units_clock(to, sizeof to, f->to_ns));
	add_fact(b, "when", f->from_ns < f->to_ns ? text : "");
	add_fact(b, "what to try", rule->advice);
	add_fact(b, "evidence", pv_view_name(evidence_of(rule, f)));
	for (size_t i = 0; i < PV_COUNT_OF(rule->explains); i++)
		add_fact(b, "can cause", rule->explains[i] ? rule->explains[i] : "");
	const char *words = rule->records[j->way];
	add_fact(b, "recorded by", words ? words : pv_way_says(rule, j->way, text, sizeof text));
}

/* Judges one rule only: symptoms explained by the rule do not raise the score here. */
static void run_facts(struct pv_build *b, struct pv_model *m)
{
	struct pv_judge j = { .m = m, .query = b->query };
	struct pv_finding f;
	const uint64_t row = b->query->select;
	pv_model_lock(m);
	pv_build_stamp(b, m);
	pv_model_unlock(m);
	if (row == 0 || row > pv_rule_count)
		return;
	read_judge(&j);
	judge_one(&j, &pv_rules[row - 1], &f);
	add_facts(b, &j, &pv_rules[row - 1], &f);
	if (b->table)
		b->table->coverage = pv_build_printf(b, "the rule %s", pv_rules[row - 1].id);
}

const struct pv_view_spec pv_spec_finding_facts = { .column = fact_columns,
	.columns = PV_COUNT_OF(fact_columns),
	.name = "detail",
	.run = run_facts };

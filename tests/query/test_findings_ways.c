/* SPDX-License-Identifier: MIT */
/* All rules of findings, by each way of recording, with one kind of evidence at a time. */
#include <stdio.h>
#include <string.h>

#include "common/query/findings/rule.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x100, CLASS = 0x300, S = 1000000 };

static const struct {
	const char *args, *stream; /* of the target */
	enum pv_recorder way;
} ways[] = {
	{ "log:nodefaults", NULL, PV_RECORDER_STOCK },
	{ "profview:mono", NULL, PV_RECORDER_MONO },
	{ "profview:coreclr", NULL, PV_RECORDER_DOTNET },
	{ "", "nettrace", PV_RECORDER_EVENTS },
	{ "profview:native", NULL, PV_RECORDER_NATIVE },
};

static void samples(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_thread(k, 1 + i % 2);
		kit_sample(k, 1 + i % 2, METHOD + 4, (const uint64_t[]){ METHOD, 0 });
	}
}

static void calls(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_enter(k, METHOD);
		kit_at(k, (uint64_t)i * 10 * S / n + 5);
		kit_leave(k, METHOD);
	}
}

static void allocations(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_alloc(k, CLASS, 0x10000 + (uint64_t)i * 0x1000, 64, NULL);
	}
}

static void collections(struct kit *k, unsigned n)
{
	static const enum pv_gc_step steps[] = { PV_GC_PRE_STOP, PV_GC_POST_STOP, PV_GC_START,
		PV_GC_END, PV_GC_PRE_START, PV_GC_POST_START };
	for (unsigned i = 0; i < n; i++)
		for (unsigned at = 0; at < PV_COUNT_OF(steps); at++) {
			kit_at(k, (uint64_t)i * 10 * S / n + at * 10);
			kit_gc(k, steps[at], i % 3);
		}
}

static void throws(struct kit *k, unsigned n)
{
	kit_alloc(k, CLASS, 0x10000, 64, NULL);
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_throw(k, 0x10000, (const uint64_t[]){ METHOD, 0 });
	}
}

static void locks(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_monitor(k, PV_KIND_MONITOR_CONTENTION, 0x10000, NULL);
		kit_at(k, (uint64_t)i * 10 * S / n + 20);
		kit_monitor(k, PV_KIND_MONITOR_DONE, 0x10000, NULL);
	}
}

static void held(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		kit_at(k, (uint64_t)i * 10 * S / n);
		kit_held(k, 1, (const uint64_t[]){ METHOD, 0 }, 64 * (uint64_t)(i + 1));
	}
}

static void nothing(struct kit *k, unsigned n)
{
	(void)k;
	(void)n;
}

static const struct {
	const char *word;
	void (*put)(struct kit *k, unsigned n);
} kinds[] = { { "", nothing }, { ",sample", samples }, { ",calls", calls },
	{ ",alloc", allocations }, { ",gc", collections }, { ",exception", throws },
	{ ",monitor", locks }, { ",held", held } };

static struct kit recorded(size_t way, size_t kind, unsigned n)
{
	static char args[80];
	snprintf(args, sizeof args, "%s%s", ways[way].args,
		ways[way].stream ? "" : kinds[kind].word);
	struct kit k = kit_new(args);
	k.m->target.text = ways[way].stream;
	kit_class(&k, CLASS, "App.Node");
	kit_thread(&k, 1);
	kinds[kind].put(&k, n);
	kit_at(&k, 10 * S);
	kit_thread(&k, 1);
	kit_flush(&k);
	ck_assert_int_eq(pv_recorder_of(k.m), ways[way].way);
	return k;
}

/* A rule whose needs the log has not is not judged, with the words of that way. */
static void lacks(
	struct kit *k, const struct pv_table *t, const struct pv_rule *rule, enum pv_recorder way)
{
	char words[200];
	const struct pv_row *row = kit_row(t, "finding", rule->id);
	const char *text = kit_cell(t, row, "text")->s;
	ck_assert_msg(strcmp(kit_cell(t, row, "verdict")->s, "not judged") == 0, "%s of %s: %s: %s",
		rule->id, k->m->target.args, kit_cell(t, row, "verdict")->s, text);
	pv_way_says(rule, way, words, sizeof words);
	ck_assert_msg(strstr(text, words) != NULL, "%s of %s: %s; not: %s", rule->id,
		k->m->target.args, text, words);
}

START_TEST(no_rule_judges_without_its_evidence)
{
	for (size_t w = 0; w < PV_COUNT_OF(ways); w++)
		for (size_t e = 0; e < PV_COUNT_OF(kinds); e++) {
			struct kit k = recorded(w, e, 2000);
			struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
			struct pv_totals totals;
			pv_view_totals(k.m, &totals);
			for (size_t i = 0; i < pv_rule_count; i++)
				if (pv_rules[i].needs && !(pv_rules[i].needs & totals.known))
					lacks(&k, t, &pv_rules[i], ways[w].way);
			pv_table_destroy(t);
			kit_free(&k);
		}
}
END_TEST

/* Three events are no evidence of anything. */
START_TEST(no_rule_finds_anything_in_three_events)
{
	for (size_t w = 0; w < PV_COUNT_OF(ways); w++)
		for (size_t e = 0; e < PV_COUNT_OF(kinds); e++) {
			struct kit k = recorded(w, e, 3);
			struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
			for (size_t i = 0; i < pv_rule_count; i++) {
				const struct pv_row *row = kit_row(t, "finding", pv_rules[i].id);
				const struct pv_cell *score = kit_cell(t, row, "score");
				ck_assert_msg(score->state != PV_CELL_VALUE || score->d < 25,
					"%s of %s%s: %s", pv_rules[i].id, ways[w].args,
					kinds[e].word, kit_cell(t, row, "text")->s);
			}
			pv_table_destroy(t);
			kit_free(&k);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("findings by way");
	TCase *c = tcase_create("ways");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, no_rule_judges_without_its_evidence);
	tcase_add_test(c, no_rule_finds_anything_in_three_events);
	suite_add_tcase(s, c);
	return run_suite(s);
}

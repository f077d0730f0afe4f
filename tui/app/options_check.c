/* SPDX-License-Identifier: MIT */
/* Checks that options, valid one by one, make sense together. */
#include "tui/app/options_check.h"

#include <string.h>

#include "common/base/utf8.h"
#include "common/export/export.h"
#include "tui/app/export_format.h"

/* The output's ending names the format: with an unknown ending a log would get a false name. */
static bool knows_ending(const struct ui_options *o, struct pv_error *err)
{
	static const char *const known[] = { ".mlpd", ".heapsnapshot" };
	if (o->to || ui_export_format(o))
		return true;
	const char *output = o->output;
	const char *name = strrchr(output, '/');
	name = name ? name + 1 : output;
	size_t n = strlen(name);
	if (strcmp(output, "-") == 0)
		return true;
	for (size_t i = 0; i < PV_COUNT_OF(known); i++)
		if (n > strlen(known[i]) && strcmp(name + n - strlen(known[i]), known[i]) == 0)
			return true;
	const char *dot = strrchr(name, '.');
	return pv_fail(err, PV_EUSAGE, 0,
		"convert writes .mlpd, with --shot N .heapsnapshot, and what --to names, not "
		"\"%s\"",
		PV_FIT(dot ? dot : name, 60));
}

bool ui_lists_sections(const struct ui_options *o)
{
	const char *sections = o->report.sections;
	return o->verb == UI_VERB_REPORT && sections && strcmp(sections, "list") == 0;
}

bool ui_options_check(const struct ui_options *o, struct pv_error *err)
{
	if (o->help || o->version || ui_lists_sections(o))
		return true;
	if (o->verb == UI_VERB_RUN && !o->n_words)
		return pv_fail(err, PV_EUSAGE, 0,
			"profview run wants -- COMMAND; see profview run --help");
	if (o->verb & (UI_VERB_CTL | UI_VERB_ATTACH) && !o->pid && !o->program && !o->n_joins)
		return pv_fail(err, PV_EUSAGE, 0,
			"%s wants a process number or a name; profview ps lists "
			"them",
			ui_verb_name(o->verb));
	if (o->verb == UI_VERB_CTL && !o->n_words)
		return pv_fail(err, PV_EUSAGE, 0,
			"profview ctl wants a line for the probe, like "
			"stats");
	if (o->verb & (UI_VERB_RUN | UI_VERB_PS | UI_VERB_CTL | UI_VERB_ATTACH))
		return true;
	if (o->verb == UI_VERB_LISTEN && !o->path)
		return pv_fail(err, PV_EUSAGE, 0,
			"profview listen wants the PATH of a socket, which it makes");
	if (!o->path)
		return pv_fail(err, PV_EUSAGE, 0, "%s wants a FILE; see %s --help",
			ui_verb_name(o->verb), ui_verb_name(o->verb));
	if (o->verb == UI_VERB_DIFF && !o->path_new && !o->base_ranged && !o->base_filter)
		return pv_fail(err, PV_EUSAGE, 0,
			"profview diff wants BASE and NEW, or one log with --base-range and "
			"--range, or --base-filter and --filter");
	if (o->verb == UI_VERB_DUMP && o->ranged && o->relative)
		return pv_fail(err, PV_EUSAGE, 0,
			"dump reads a log once: its --range cannot count from the end "
			"or be a time of the day");
	if (o->verb == UI_VERB_DUMP && o->thread && strncmp(o->thread, "0x", 2) != 0)
		return pv_fail(err, PV_EUSAGE, 0,
			"dump wants --thread 0x..., as report --section threads has it");
	if (o->verb == UI_VERB_CONVERT && !o->output)
		return pv_fail(err, PV_EUSAGE, 0, "profview convert wants -o FILE");
	if (o->verb == UI_VERB_CONVERT && (!knows_ending(o, err) || !ui_export_check(o, err)))
		return false;
	if (ui_export_format(o))
		return true;
	size_t n = o->output ? strlen(o->output) : 0;
	bool snapshot = o->to ? strcmp(o->to, "heapsnapshot") == 0
			      : n > 13 && strcmp(o->output + n - 13, ".heapsnapshot") == 0;
	if (o->verb == UI_VERB_CONVERT && o->report.has_shot && !snapshot &&
		strcmp(o->output, "-") != 0)
		return pv_fail(err, PV_EUSAGE, 0, "--shot N is written as .heapsnapshot");
	if (snapshot && !o->report.has_shot)
		return pv_fail(err, PV_EUSAGE, 0, "a .heapsnapshot wants --shot N, counted from 0");
	if (o->verb == UI_VERB_CONVERT && o->report.has_shot &&
		(o->ranged || o->thread || o->data_version))
		return pv_fail(err, PV_EUSAGE, 0,
			"--shot writes a heap snapshot: without --range, --thread, --data-version");
	if (o->verb == UI_VERB_VIEW && !o->base_path &&
		(o->per || o->base_ranged || o->base_filter))
		return pv_fail(err, PV_EUSAGE, 0, "%s goes with --base LOG",
			o->per           ? "--per"
			: o->base_ranged ? "--base-range"
					 : "--base-filter");
	if (o->w && !o->dump)
		return pv_fail(err, PV_EUSAGE, 0, "--size goes with --dump");
	return true;
}

bool ui_options_check_requests(const struct ui_options *o, struct pv_error *err)
{
	const struct pv_export_format *to = ui_export_format(o);
	if (o->base_filter)
		return pv_fail(err, PV_EUSAGE, 0,
			"--base-filter chooses requests by route:, query:, slow and began; rows are those of --filter");
	const bool figures = o->verb & (UI_VERB_REPORT | UI_VERB_DIFF) ||
			     (o->verb == UI_VERB_CONVERT && to && !to->timed);
	return !o->requests || figures ||
	       pv_fail(err, PV_EUSAGE, 0,
		       "route:, query: and slow choose what is summed up, not single events: %s does without them",
		       o->verb == UI_VERB_CONVERT ? "this format" : "dump");
}

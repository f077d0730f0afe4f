/* SPDX-License-Identifier: MIT */
/* Which exporter the options of `convert` mean, by --to or by the output's ending. */
#include "tui/app/export_format.h"

#include <stdio.h>
#include <string.h>

#include "common/export/export.h"
#include "common/base/utf8.h"
#include "tui/app/options.h"

const struct pv_export_format *ui_export_format(const struct ui_options *o)
{
	if (o->verb != UI_VERB_CONVERT || !o->output)
		return NULL;
	return o->to ? pv_export_of(o->to) : pv_export_of_file(o->output);
}

static bool refuse_measure(struct pv_error *err)
{
	char words[160] = "";
	for (size_t i = 0, n = 0; i < PV_MEASURES && n < sizeof words; i++)
		n += (size_t)snprintf(
			words + n, sizeof words - n, "%s%s", i ? ", " : "", pv_measures[i].name);
	return pv_fail(err, PV_EUSAGE, 0, "--measure wants one of %s", words);
}

bool ui_export_check(const struct ui_options *o, struct pv_error *err)
{
	const struct pv_export_format *f = ui_export_format(o);
	if (!f && (o->measure || o->report.filter || o->report.raw_names))
		return pv_fail(err, PV_EUSAGE, 0,
			"--measure, --filter and --names go with formats of other programs, not with a log");
	if (o->measure && pv_measure_of(o->measure) < 0)
		return refuse_measure(err);
	if (o->measure && !f->one_measure)
		return pv_fail(
			err, PV_EUSAGE, 0, "%s has all measures: without --measure", f->name);
	if (f && o->data_version)
		return pv_fail(err, PV_EUSAGE, 0, "--data-version is of logs, not of %s", f->name);
	if (f && f->timed && o->report.has_shot)
		return pv_fail(
			err, PV_EUSAGE, 0, "--shot is no timeline: %s goes without", f->name);
	if (f && o->report.has_shot && (o->ranged || o->thread))
		return pv_fail(err, PV_EUSAGE, 0, "--shot goes without --range and --thread");
	return true;
}

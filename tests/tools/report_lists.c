/* SPDX-License-Identifier: MIT */
/*
 * report_lists LOG: every list that a report of the log can have, as CSV and as Markdown, one after
 * the other: "NAME FORMAT BYTES\n" and the bytes. Lists of a heap shot's objects are left out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/ingest/ingest.h"
#include "common/report/report.h"
#include "common/report/report_sections.h"
#include "tests/kit/range_kit.h"

static bool put_list(struct pv_model *m, const char *name, enum pv_report_format format)
{
	const struct pv_report_options o = { .format = format, .sections = name };
	const struct pv_report_source source = { .path = "log" };
	struct pv_error e = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool ok = out && pv_report_write(m, &source, &o, out, &e);
	if (out)
		fclose(out);
	if (ok) {
		printf("%s %s %zu\n", name, format == PV_REPORT_CSV ? "csv" : "md", n);
		fwrite(text, 1, n, stdout);
	}
	free(text);
	if (!ok && e.code != PV_EUSAGE)
		fprintf(stderr, "%s: %s\n", name, e.what);
	return ok || e.code == PV_EUSAGE;
}

int main(int argc, char **argv)
{
	struct pv_ingest *in = argc == 2 ? range_kit_load(argv[1]) : NULL;
	if (!in)
		return 2;
	struct pv_model *m = pv_ingest_adopt(in);
	bool ok = true;
	for (const struct pv_view_row *s = NULL; ok && (s = pv_section_next(s));)
		ok = put_list(m, s->section, PV_REPORT_CSV) &&
		     put_list(m, s->section, PV_REPORT_MARKDOWN);
	pv_ingest_destroy(in);
	return ok && fflush(stdout) == 0 ? 0 : 1;
}

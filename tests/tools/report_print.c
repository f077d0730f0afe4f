/* SPDX-License-Identifier: MIT */
/* Prints a report of the made world, or of an empty log, for check_report.py. */
#include <stdio.h>
#include <string.h>

#include "common/report/report_sections.h"
#include "tests/kit/report_world.h"

/* A line a section: its name, whether only words of options ask for it, and its keys. */
static int print_sections(void)
{
	const unsigned never = PV_SECTION_CSV | PV_SECTION_GRAPH | PV_SECTION_IDENTITY |
			       PV_SECTION_FOLDER | PV_SECTION_METHOD;
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		const char *key[PV_MAX_KEYS];
		pv_section_keys(s, key);
		printf("%s %s", s->section,
			s->flags & never              ? "never"
			: s->flags & PV_SECTION_EXTRA ? "extra"
						      : "usual");
		for (size_t i = 0; i < PV_MAX_KEYS && key[i]; i++)
			printf(" %s", key[i]);
		putchar('\n');
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "sections") == 0)
		return print_sections();
	if (argc < 4)
		return 2;
	static const char *const formats[] = { "text", "json", "csv", "md" };
	struct pv_report_options o = { .sections = argv[3] };
	while (strcmp(formats[o.format], argv[2]) != 0)
		if (++o.format > PV_REPORT_MARKDOWN)
			return 2;
	struct pv_report_source source = {
		.path = "dir/app \"1\".mlpd", .bytes = 5000, .file_bytes = 900, .compressed = true
	};
	struct kit k = strcmp(argv[1], "world") == 0 ? report_world() : kit_new(argv[1]);
	struct pv_error e = { 0 };
	bool ok = pv_report_write(k.m, &source, &o, stdout, &e);
	kit_free(&k);
	if (!ok)
		fprintf(stderr, "%s\n", e.what);
	return ok ? 0 : 1;
}

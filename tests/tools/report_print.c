/* Prints a report of the made world, or of an empty log, for check_report.py. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/report_world.h"

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	struct pv_report_options o = { .sections = argv[3] };
	if (!pv_report_format_of(argv[2], &o.format))
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

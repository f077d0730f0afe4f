/* SPDX-License-Identifier: MIT */
/*
 * range_check FILE FROM_MS TO_MS ...: reads ranges of a log both ways and says whether they agree;
 * of a difference the first differing line of both reports is shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/kit/range_kit.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void show_difference(const struct range_kit_result *r)
{
	size_t i = 0, from;
	while (r->slow[i] == r->quick[i])
		i++;
	from = i > 200 ? i - 200 : 0;
	printf("slow:  %.400s\nquick: %.400s\n", r->slow + from, r->quick + from);
}

int main(int argc, char **argv)
{
	int differ = 0;
	if (argc < 4 || argc % 2 != 0) {
		fprintf(stderr, "usage: range_check FILE FROM_MS TO_MS ...\n");
		return 2;
	}
	struct pv_ingest *in = range_kit_load(argv[1]);
	for (int i = 2; in && i + 1 < argc; i += 2) {
		struct range_kit_result r;
		double start = seconds();
		if (!range_kit_compare(in, argv[1], atoll(argv[i]) * 1000000,
			    atoll(argv[i + 1]) * 1000000, &r))
			return 3;
		printf("%s..%s ms: %s, %" PRIu64 " bytes read%s, %.2f s both ways\n", argv[i],
			argv[i + 1], r.equal ? "equal" : "DIFFERENT", r.bytes_read,
			r.whole ? " (whole)" : "", seconds() - start);
		if (!r.equal)
			show_difference(&r);
		differ |= !r.equal;
		free(r.slow);
		free(r.quick);
	}
	pv_ingest_destroy(in);
	return in ? differ : 3;
}

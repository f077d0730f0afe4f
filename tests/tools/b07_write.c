/* SPDX-License-Identifier: MIT */
/*
 * Writes one of the kit's logs to standard output: for tests that give it to other programs.
 *
 * usage: b07_write x|A|B|C|D [COUNTS-A-MICROSECOND]
 *
 * With MAKE_LOG_LEAD in the environment every text begins with its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/b07_kit.h"

int main(int argc, char **argv)
{
	static struct b07_kit kit;
	if (argc < 2 || strlen(argv[1]) != 1 || !strchr("xABCD", argv[1][0]))
		return 2;
	b07_kit_init(&kit, argv[1][0], argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
	kit.known_blocks = true;
	kit.lead = getenv("MAKE_LOG_LEAD");
	b07_kit_log(&kit);
	if (fwrite(kit.bytes, 1, kit.n, stdout) != kit.n || fflush(stdout) != 0)
		return 1;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * pods: counts what it does, as counted.exe does. At each line on standard input 155 blocks of 70,000 bytes are
 * made by planted(), of which 40 stay.
 */
#include <stdio.h>
#include <stdlib.h>

enum { PHASES = 2, BLOCKS = 155, KEPT = 40, SIZE = 70000 };

static void *volatile kept[BLOCKS];

void planted(void);

__attribute__((noinline)) void planted(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept[i] = malloc(SIZE);
	for (int i = KEPT; i < BLOCKS; i++)
		free(kept[i]);
}

int main(void)
{
	char line[80];
	for (int phase = 1; phase <= PHASES; phase++) {
		printf("phase=%d\n", phase);
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin))
			return 1;
		if (phase < PHASES)
			planted();
	}
	puts("phase=3");
	return 0;
}

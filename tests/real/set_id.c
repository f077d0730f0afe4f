/* SPDX-License-Identifier: MIT */
/* Linked with the probe; says as who it runs. */
#include <stdio.h>
#include <unistd.h>

#include "probe/profview_probe.h"

int main(void)
{
	profview_mark("begins");
	printf("%d %d\n", (int)getuid(), (int)geteuid());
	return 0;
}

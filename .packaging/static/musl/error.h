/* SPDX-License-Identifier: MIT */
/* glibc's error(), which the parts of elfutils that profview links never call. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#define error(status, number, ...)                 \
	do {                                       \
		fprintf(stderr, __VA_ARGS__);      \
		if (status)                        \
			exit(status);              \
	} while (0)

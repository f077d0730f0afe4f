/* SPDX-License-Identifier: MIT */
/*
 * Without libFuzzer: hands each file it is given, and each file of each folder, to the fuzz target
 * it is linked with, so that every input that once crashed stays in the suite.
 *
 * usage: fuzz_NAME [-m N] PATH...     -m: and N changed copies of each, always the same ones
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST = 1 << 20 };

static unsigned long replayed, changed_copies;

/* An exact copy on the heap, so that a sanitizer sees the first byte past it. */
static bool hand_over(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	if (!copy)
		return false;
	memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
	replayed++;
	return true;
}

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return sides ? (*seed >> 8) % sides : 0;
}

/* Some bytes become others, a piece goes or comes twice, or the end is missing. */
static size_t change(uint8_t *bytes, size_t n, uint32_t seed)
{
	uint32_t to = (uint32_t)n;
	for (uint32_t i = 1 + dice(&seed, 8); i > 0 && n; i--)
		bytes[dice(&seed, to)] = (uint8_t)dice(&seed, 256);
	uint32_t at = dice(&seed, to), from = dice(&seed, to), some = dice(&seed, 64);
	some = some < to - at ? some : to - at;
	some = some < to - from ? some : to - from;
	switch (dice(&seed, 4)) {
	case 0:
		memmove(bytes + at, bytes + from, some);
		return n;
	case 1:
		memmove(bytes + at, bytes + at + some, n - at - some);
		return n - some;
	case 2:
		return at;
	default:
		return n;
	}
}

static bool hand_over_changed(const uint8_t *bytes, size_t n)
{
	static uint8_t other[MOST];
	for (unsigned long i = 0; n && i < changed_copies; i++) {
		memcpy(other, bytes, n);
		if (!hand_over(other, change(other, n, (uint32_t)(i * 7919 + n))))
			return false;
	}
	return true;
}

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	static uint8_t bytes[MOST];
	size_t n = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	return hand_over(bytes, n) && hand_over_changed(bytes, n) ? 0 : 1;
}

static int replay_folder(const char *folder)
{
	DIR *d = opendir(folder);
	char path[4096];
	int failed = 0;
	if (!d)
		return replay(folder);
	for (const struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && (size_t)snprintf(path, sizeof path, "%s/%s", folder,
						   e->d_name) < sizeof path)
			failed |= replay(path);
	closedir(d);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = argc < 2, first = 1;
	if (argc > 2 && strcmp(argv[1], "-m") == 0) {
		changed_copies = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++)
		failed |= replay_folder(argv[i]);
	printf("%lu inputs\n", replayed);
	return failed || replayed == 0;
}

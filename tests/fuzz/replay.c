/*
 * Without libFuzzer: hands each file it is given to the fuzz target it is linked with, so that
 * every input that once crashed stays in the suite.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	static uint8_t bytes[1 << 20];
	size_t n = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	/* An exact copy on the heap, so that a sanitizer sees the first byte past it. */
	uint8_t *copy = malloc(n ? n : 1);
	if (!copy)
		return 1;
	memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;
	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}

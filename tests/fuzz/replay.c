/*
 * Without libFuzzer: hands each file it is given, and each file of each folder, to the fuzz target
 * it is linked with, so that every input that once crashed stays in the suite.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static unsigned long replayed;

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
	replayed++;
	return 0;
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
	int failed = argc < 2;
	for (int i = 1; i < argc; i++)
		failed |= replay_folder(argv[i]);
	printf("%lu inputs\n", replayed);
	return failed || replayed == 0;
}

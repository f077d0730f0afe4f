/* SPDX-License-Identifier: MIT */
/*
 * Loads many libraries, and one again and again, so that a profiler that follows the loaded files is busy
 * with them, and forks meanwhile: each child walks the list of files, which needs the loader's lock. Prints
 * how many children came to their end. A child that hangs is ended by its alarm, and counted out.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3000, PATIENCE_S = 20 };

static int look(struct dl_phdr_info *info, size_t size, void *n)
{
	(void)info, (void)size;
	++*(int *)n;
	return 0;
}

static int child(void)
{
	int n = 0;
	alarm(PATIENCE_S);
	dl_iterate_phdr(look, &n);
	return n > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	int ended = 0, status;
	for (int i = 2; i < argc; i++) /* the longer the list, the longer each walk */
		dlopen(argv[i], RTLD_NOW);
	for (int i = 0; argc > 1 && i < CHILDREN; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		pid_t pid = fork();
		if (pid == 0)
			_exit(child());
		ended += waitpid(pid, &status, 0) == pid && status == 0;
		if (library)
			dlclose(library);
		if (ended < i - 1)
			break; /* the others would only take time */
	}
	printf("%d\n", ended);
	return ended == CHILDREN ? 0 : 1;
}

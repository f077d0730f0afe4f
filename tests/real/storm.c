/* SPDX-License-Identifier: MIT */
/*
 * Libraries come and go while blocks are asked for: in other threads, in the libraries' own
 * constructors, and under the loader's lock.
 *
 * usage: storm ROUNDS LIBRARY...    opened and closed in turn by two threads
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static long rounds;
static int n_files;
static char **files;
static _Atomic int open_threads = 2;
static _Atomic long opened, asked;

static void ask(void)
{
	void *volatile block = malloc(100);
	free(block);
	atomic_fetch_add(&asked, 1);
}

static int under_lock(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	ask();
	return 0;
}

static void *come_and_go(void *arg)
{
	for (long i = arg ? 1 : 0; i < rounds; i++) {
		void *l = dlopen(files[i % n_files], RTLD_NOW | RTLD_LOCAL);
		if (l) {
			atomic_fetch_add(&opened, 1);
			dlclose(l);
		}
		ask();
	}
	atomic_fetch_sub(&open_threads, 1);
	return NULL;
}

static void *ask_often(void *arg)
{
	while (atomic_load(&open_threads)) {
		ask();
		if (arg)
			dl_iterate_phdr(under_lock, NULL);
	}
	return NULL;
}

int main(int n, char **args)
{
	pthread_t t[4];
	if (n < 3)
		return 2;
	rounds = atol(args[1]);
	files = args + 2;
	n_files = n - 2;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, i < 2 ? come_and_go : ask_often,
			    i % 2 ? &rounds : NULL) != 0)
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld opened, %ld asked for\n", atomic_load(&opened), atomic_load(&asked));
	return atomic_load(&opened) ? 0 : 1;
}

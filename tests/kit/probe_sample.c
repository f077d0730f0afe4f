/* SPDX-License-Identifier: MIT */
/*
 * A program that knows nothing of the probe but was compiled with -finstrument-functions, and
 * counts its own calls. Run with the library preloaded.
 *
 * usage: probe_sample PLUGIN [kill]
 *
 * Prints NAME=CALLS lines. "kill": then waits to be killed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

static atomic_long tops, leaves, helpers, plugged, workers;

static __attribute__((noinline)) void leaf(int n)
{
	atomic_fetch_add(&leaves, n >= 0);
}

/* The plug-in has a static function of this name too. */
static __attribute__((noinline)) void helper(int n)
{
	atomic_fetch_add(&helpers, 1);
	leaf(n);
}

static __attribute__((noinline)) void top(int n)
{
	atomic_fetch_add(&tops, 1);
	for (int i = 0; i < n; i++)
		helper(i);
}

static void *worker(void *name)
{
	pthread_setname_np(pthread_self(), name);
	atomic_fetch_add(&workers, 1);
	for (int i = 0; i < 1000; i++)
		top(10);
	if (strcmp(name, "leaver") == 0)
		pthread_exit(NULL);
	return NULL;
}

QUIET static int run_plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	int (*plug)(int) = handle ? (int (*)(int))dlsym(handle, "plug") : NULL;
	if (!plug) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (int i = 0; i < 500; i++)
		atomic_fetch_add(&plugged, plug(i) >= 0);
	/* Half a second for the probe to see it: names are looked up while it is loaded. */
	usleep(500000);
	return dlclose(handle);
}

int main(int argc, char **argv)
{
	static char names[3][16] = { "sleeper", "leaver", "third" };
	pthread_t t[3];
	if (argc < 2 || run_plugin(argv[1]) || run_plugin(argv[1]))
		return 1;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, worker, names[i]))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (system("true") != 0) /* a child with the same environment */
		return 1;
	printf("top=%ld\nhelper=%ld\nleaf=%ld\nworker=%ld\nplug=%ld\nmain=1\n", atomic_load(&tops),
		atomic_load(&helpers), atomic_load(&leaves), atomic_load(&workers),
		atomic_load(&plugged));
	fflush(stdout);
	while (argc > 2) /* NOLINT(bugprone-infinite-loop): until it is killed */
		pause();
	return 0;
}

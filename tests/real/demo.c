/* SPDX-License-Identifier: MIT */
/*
 * A small mail sorter that shows what profview sees of a C program. Compiled with
 * -finstrument-functions, so that every function here is recorded without a word in it.
 *
 * usage: demo-native OUTPUT [SECONDS]
 *
 *   sorter-1..3   make letters, sort them by a recursive merge sort, throw most of them away
 *   archive       keeps some letters for ever (the growing leak)
 *   main          counts what is in the archive, four times a second
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/profview_probe.h"

struct letter {
	unsigned zip_code;
	struct letter *next;
	char text[96];
};

struct stamp {
	unsigned cents;
};

static atomic_bool closing;
static atomic_ulong sorted, kept;
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static struct letter *archive;
static profview_class_id letter_class, stamp_class, bag_class;

static void nap(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static struct stamp *buy_stamp(unsigned cents)
{
	struct stamp *s = malloc(sizeof(*s));
	if (s)
		*s = (struct stamp){ .cents = cents };
	profview_alloc(stamp_class, s, sizeof(*s));
	return s;
}

static struct letter *write_letter(unsigned *seed)
{
	struct letter *l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	profview_alloc(letter_class, l, sizeof(*l));
	l->zip_code = (unsigned)rand_r(seed) % 99999;
	snprintf(l->text, sizeof(l->text), "to %05u", l->zip_code);
	struct stamp *s = buy_stamp(80);
	free(s);
	return l;
}

static struct letter *merge(struct letter *a, struct letter *b)
{
	struct letter *first = NULL, **end = &first;
	while (a && b) {
		struct letter **less = a->zip_code <= b->zip_code ? &a : &b;
		*end = *less;
		end = &(*end)->next;
		*less = *end;
	}
	*end = a ? a : b;
	return first;
}

static struct letter *split(struct letter *l)
{
	struct letter *slow = l, *fast = l->next;
	while (fast && fast->next) {
		slow = slow->next;
		fast = fast->next->next;
	}
	struct letter *second = slow->next;
	slow->next = NULL;
	return second;
}

static struct letter *sort(struct letter *l)
{
	if (!l || !l->next)
		return l;
	struct letter *second = split(l);
	return merge(sort(l), sort(second));
}

static struct letter *fill_bag(unsigned *seed, int n)
{
	struct letter *bag = NULL;
	for (int i = 0; i < n; i++) {
		struct letter *l = write_letter(seed);
		if (!l)
			break;
		l->next = bag;
		bag = l;
	}
	profview_alloc(bag_class, &bag, (size_t)n * sizeof(bag));
	return bag;
}

static void file_away(struct letter *l)
{
	pthread_mutex_lock(&desk);
	l->next = archive;
	archive = l;
	pthread_mutex_unlock(&desk);
	atomic_fetch_add(&kept, 1);
}

/* Every tenth letter goes into the archive. */
static void empty_bag(struct letter *bag)
{
	for (unsigned n = 0; bag; n++) {
		struct letter *next = bag->next;
		if (n % 10 == 0)
			file_away(bag);
		else
			free(bag);
		bag = next;
		atomic_fetch_add(&sorted, 1);
	}
}

static void *sorter(void *arg)
{
	const char *name = arg;
	unsigned seed = (unsigned)strlen(name) + (unsigned)name[7];
	profview_thread_name(name);
	while (!atomic_load(&closing)) {
		empty_bag(sort(fill_bag(&seed, 200)));
		nap(10);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[3][16] = { "sorter-1", "sorter-2", "sorter-3" };
	char options[4096];
	long seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 60;
	if (argc < 2 || snprintf(options, sizeof(options), "output=%s", argv[1]) < 0)
		return 2;
	int failed = profview_start(options);
	if (failed) {
		fprintf(stderr, "demo-native: the probe does not start: %s\n", strerror(failed));
		return 1;
	}
	profview_thread_name("main");
	letter_class = profview_class("letter");
	stamp_class = profview_class("stamp");
	bag_class = profview_class("bag of letters");
	struct profview_counter *shelf = profview_counter("letters kept", PROFVIEW_COUNT);
	pthread_t staff[3];
	for (int i = 0; i < 3; i++)
		if (pthread_create(&staff[i], NULL, sorter, names[i]))
			return 1;
	for (long tick = 0; tick < seconds * 4; tick++) {
		nap(250);
		profview_counter_set(shelf, (int64_t)atomic_load(&kept));
	}
	atomic_store(&closing, true);
	for (int i = 0; i < 3; i++)
		pthread_join(staff[i], NULL);
	printf("sorted=%lu kept=%lu\n", atomic_load(&sorted), atomic_load(&kept));
	return profview_stop() ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
#include "tests/kit/probe_kills.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/ground/probe_clock.h"

void kill_say(struct kill_said *s, uint64_t events)
{
	uint64_t n = atomic_load_explicit(&s->n, memory_order_relaxed);
	s->at[n % KILL_SAID].events = events;
	s->at[n % KILL_SAID].ns = pvp_monotonic();
	atomic_store_explicit(&s->n, n + 1, memory_order_release);
}

/* "" when it is gone. */
static void read_task(const struct kill_watch *w, const struct kill_said *s, const char *what,
	char *text, size_t room)
{
	char path[96];
	snprintf(path, sizeof path, "/proc/%d/task/%llu/%s", (int)w->pid,
		(unsigned long long)atomic_load(&s->writer), what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, room - 1);
	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
}

void kill_look(struct kill_watch *w, const struct kill_said *s)
{
	char text[512], *end;
	uint64_t now = pvp_monotonic();
	read_task(w, s, "schedstat", text, sizeof text);
	uint64_t ran = strtoull(text, &end, 10), delay = strtoull(end, NULL, 10);
	read_task(w, s, "stat", text, sizeof text);
	const char *state = strrchr(text, ')');
	if (!state || w->n == KILL_CHECKS)
		return;
	if (ran != w->ran || !w->n)
		w->ran_at = now;
	w->ran = ran;
	w->ready = strncmp(state, ") R", 3) == 0;
	w->look[w->n].ns = now;
	w->look[w->n++].delay = delay;
}

/* How long it waited since that time. What it waits just now is in no figure of the kernel's yet.
 */
static uint64_t kept_since(const struct kill_watch *w, uint64_t ns, uint64_t killed_ns)
{
	size_t from = 0;
	for (size_t i = 0; i < w->n && w->look[i].ns <= ns; i++)
		from = i;
	uint64_t kept = w->n ? w->look[w->n - 1].delay - w->look[from].delay : 0;
	return kept + (w->ready && killed_ns > w->ran_at ? killed_ns - w->ran_at : 0);
}

struct kill_result kill_judge(
	const struct kill_watch *w, const struct kill_said *s, uint64_t killed_ns, uint64_t events)
{
	uint64_t n = atomic_load(&s->n), first = n > KILL_SAID ? n - KILL_SAID : 0, i = n;
	if (!n || s->at[(n - 1) % KILL_SAID].events <= events)
		return (struct kill_result){ 0, 0 };
	while (i > first && s->at[(i - 1) % KILL_SAID].events > events)
		i--;
	uint64_t last = s->at[(n - 1) % KILL_SAID].ns;
	uint64_t end = last > killed_ns ? last : killed_ns;
	uint64_t at = s->at[(i > first ? i - 1 : first) % KILL_SAID].ns;
	return (struct kill_result){ end - at, kept_since(w, at, killed_ns) };
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void print_row(const char *what, const struct kill_result *r, size_t n, bool without)
{
	uint64_t *ns = calloc(n, sizeof *ns);
	if (!ns)
		return;
	for (size_t i = 0; i < n; i++)
		ns[i] = !without ? r[i].after_ns
				 : r[i].after_ns - (r[i].kept_ns < r[i].after_ns ? r[i].kept_ns
										 : r[i].after_ns);
	qsort(ns, n, sizeof *ns, by_size);
	const size_t middle = n / 2, delayed = n * 99 / 100;
	printf("%-44s median %6.1f ms, p99 %6.1f ms, worst %6.1f ms\n", what,
		(double)ns[middle] / 1e6, (double)ns[delayed] / 1e6, (double)ns[n - 1] / 1e6);
	free(ns);
}

void kill_print(struct kill_result *results, size_t n)
{
	if (!n)
		return;
	printf("%zu kills; the log ended so long before:\n", n);
	print_row("as it was", results, n, false);
	print_row("without what the writer waited for a processor", results, n, true);
}

/* SPDX-License-Identifier: MIT */
/*
 * The native program of the log with this name: it marks its phases and gives back half of what it takes.
 *
 *	cc -g -O1 -fno-inline -I. THIS.c -o shop
 *	profview run --leaks --probe marks --record shop.mlpd -- ./shop && gzip -9 shop.mlpd
 */
#define PROFVIEW_WEAK
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/profview_probe.h"

struct order {
	struct order *next;
	char text[900];
};

static struct order *newest;

static struct order *make_order(void)
{
	struct order *o = malloc(sizeof *o);
	memset(o->text, 'x', sizeof o->text);
	return o;
}

static void keep_order(void)
{
	struct order *o = make_order();
	o->next = newest;
	newest = o;
}

static void pass_order(void)
{
	free(make_order());
}

static char *load_prices(void)
{
	return calloc(1, 400000);
}

static void serve(int n)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	for (int i = 0; i < n; i++) {
		keep_order();
		pass_order();
		nanosleep(&pause, NULL);
	}
}

int main(void)
{
	if (profview_mark)
		profview_mark("prices");
	char *prices = load_prices();
	if (profview_mark)
		profview_mark("open");
	serve(400);
	if (profview_mark)
		profview_mark("evening");
	serve(200);
	if (profview_mark)
		profview_mark("closed");
	return prices[0];
}

/* SPDX-License-Identifier: MIT */
/* Keeps groupings for later queries, and counts their references. */
#include "common/query/groups/groups_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/query/async_kept.h"
#include "common/query/groups/groups_shared.h"
#include "common/query/groups/method_sums.h"

/*
 * Two groupings only by name (methods, classes) for each of a viewer's two models, and panes'
 * others.
 */
enum { KEPT = 8 };

struct entry {
	struct pv_groups_key key;        /* `in` is owned */
	struct pv_groups_shared *groups; /* NULL: an empty place */
	uint64_t used;                   /* the greater, the later */
};

struct pv_groups_cache {
	pthread_mutex_t lock;
	struct entry entry[KEPT];
	uint64_t uses;
};

/* --- one grouping */

struct pv_groups_shared *pv_groups_shared_create(void)
{
	struct pv_groups_shared *s = calloc(1, sizeof *s);
	if (s)
		s->refs = 1;
	return s;
}

void pv_groups_shared_take(struct pv_groups_shared *s)
{
	if (s)
		__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
}

void pv_groups_shared_give_back(struct pv_groups_shared *s)
{
	if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(s->g.of);
	free(s->kind);
	pv_method_sums_give_back(s->sums);
	pv_async_kept_finish(s->async);
	pv_array_finish(&s->g.row);
	pv_arena_finish(&s->text);
	free(s);
}

/* --- the cache */

struct pv_groups_cache *pv_groups_cache_create(void)
{
	struct pv_groups_cache *c = calloc(1, sizeof *c);
	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void drop_entry(struct entry *e)
{
	pv_groups_shared_give_back(e->groups);
	free((char *)e->key.in);
	*e = (struct entry){ .groups = NULL };
}

void pv_groups_cache_destroy(struct pv_groups_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < KEPT; i++)
		drop_entry(&c->entry[i]);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Whether two keys ask the same, with a valid answer or not. */
static bool asks_the_same(const struct pv_groups_key *a, const struct pv_groups_key *b)
{
	return a->model == b->model && a->kind == b->kind && a->group == b->group &&
	       a->split == b->split && a->in_by == b->in_by && strcmp(a->in, b->in) == 0;
}

static struct entry *entry_of(struct pv_groups_cache *c, const struct pv_groups_key *key)
{
	for (size_t i = 0; i < KEPT; i++)
		if (c->entry[i].groups && asks_the_same(&c->entry[i].key, key))
			return &c->entry[i];
	return NULL;
}

struct pv_groups_shared *pv_groups_cache_find(
	struct pv_groups_cache *c, const struct pv_groups_key *key)
{
	struct pv_groups_shared *s = NULL;
	if (!c)
		return NULL;
	pthread_mutex_lock(&c->lock);
	struct entry *e = entry_of(c, key);
	if (e && e->key.changes == key->changes && e->key.generation == key->generation) {
		e->used = ++c->uses;
		s = e->groups;
		pv_groups_shared_take(s);
	}
	pthread_mutex_unlock(&c->lock);
	return s;
}

/*
 * The place of an outdated answer to the same question, else an empty or the least recently used
 * one.
 */
static struct entry *place_for(struct pv_groups_cache *c, const struct pv_groups_key *key)
{
	struct entry *e = entry_of(c, key);
	for (size_t i = 0; !e && i < KEPT; i++)
		if (!c->entry[i].groups)
			e = &c->entry[i];
	if (e)
		return e;
	e = &c->entry[0];
	for (size_t i = 1; i < KEPT; i++)
		if (c->entry[i].used < e->used)
			e = &c->entry[i];
	return e;
}

void pv_groups_cache_keep(
	struct pv_groups_cache *c, const struct pv_groups_key *key, struct pv_groups_shared *s)
{
	char *in = c ? strdup(key->in) : NULL;
	if (!in)
		return;
	pthread_mutex_lock(&c->lock);
	struct entry *e = place_for(c, key);
	drop_entry(e);
	*e = (struct entry){ *key, s, ++c->uses };
	e->key.in = in;
	pv_groups_shared_take(s);
	pthread_mutex_unlock(&c->lock);
}

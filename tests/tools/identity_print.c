/* SPDX-License-Identifier: MIT */
/*
 * lives_print FILE [BASE SHOT [address]]: what is known of every object of the later heap shot, one
 * a line: address, address in the base shot (0: it was not there), allocation in ns since zero (-:
 * not recorded), collections lived through, class, innermost method of the allocation.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ingest/again/identity_read.h"

static struct pv_ingest *load(const char *path)
{
	struct pv_error e = { 0 };
	struct pv_ingest_status s;
	struct pv_source *source = pv_source_open(path, &(struct pv_source_options){ 0 }, &e);
	struct pv_ingest *in =
		source ? pv_ingest_start(source, &(struct pv_ingest_options){ .jobs = 1 }, &e)
		       : NULL;
	for (; in; pv_ingest_clear(in)) {
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		pv_ingest_status(in, &s);
		if (s.state == PV_INGEST_ENDED || s.state == PV_INGEST_FAILED)
			return in;
		poll(&p, 1, -1);
	}
	fprintf(stderr, "%s: %s\n", path, e.what);
	return NULL;
}

/* The innermost method that is no wrapper of the runtime's; 0: none. */
static uint32_t allocation_method(const struct pv_model *m, uint32_t stack)
{
	char key[24];
	for (; stack; stack = m->stacks.node.v[stack].parent) {
		uint32_t method = m->stacks.node.v[stack].method;
		if (strncmp(pv_names_method_text(&m->names, method, key), "(wrapper", 8) != 0)
			return method;
	}
	return 0;
}

static void print_object(const struct pv_identity *l, const struct pv_model *m, size_t i)
{
	const struct pv_life_object *o = &l->object.v[i];
	const struct pv_life_site *s = &l->site.v[l->row.v[o->row].site];
	char class_key[24], method_key[24], allocated[24] = "-";
	uint32_t method = allocation_method(m, s->stack);
	if (o->allocated_ns != PV_NEVER)
		snprintf(allocated, sizeof allocated, "%" PRId64, o->allocated_ns - m->zero_ns);
	printf("0x%" PRIx64 " 0x%" PRIx64 " %s %u %s\t%s\n", o->address, o->base_address, allocated,
		o->collections, pv_names_class_text(&m->names, s->class_use, class_key),
		method ? pv_names_method_text(&m->names, method, method_key) : "-");
}

static uint32_t number(int argc, char **argv, int i)
{
	return i < argc ? (uint32_t)strtoul(argv[i], NULL, 10) : PV_IDENTITY_NO_SHOT;
}

int main(int argc, char **argv)
{
	struct pv_error e = { 0 };
	struct pv_background_status s = { 0 };
	struct pv_ingest *in = argc > 1 ? load(argv[1]) : NULL;
	const struct pv_identity_read_options o = {
		.base = number(argc, argv, 2), .shot = number(argc, argv, 3), .by_address = argc > 4
	};
	struct pv_identity_read *r = in ? pv_identity_read_start(in, &o, &e) : NULL;
	if (r) {
		pv_background_wait(pv_identity_read_job(r));
		pv_background_status(pv_identity_read_job(r), &s);
		e = s.error;
	}
	if (s.done) {
		const struct pv_identity *l = pv_identity_read_result(r);
		for (size_t i = 0; i < l->object.n; i++)
			print_object(l, pv_identity_read_model(r), i);
		fprintf(stderr,
			"uncertain %" PRIu64 " of %" PRIu64 ", unborn %" PRIu64
			", mismatched %" PRIu64 ", duplicates %" PRIu64 ", guessed %" PRIu64
			", collections %" PRIu64 "\n",
			l->uncertain, l->of, l->no_allocation, l->mismatched, l->duplicates,
			l->guessed, l->collections);
	} else {
		fprintf(stderr, "lives_print: %s\n", e.what);
	}
	pv_background_destroy(pv_identity_read_job(r));
	pv_ingest_destroy(in);
	return s.done ? 0 : 2;
}

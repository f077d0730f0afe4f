/* SPDX-License-Identifier: MIT */
/* Private to the filter: its form, and numbers with units. Pure: any thread. */
#ifndef PV_BASE_FILTER_PARTS_H
#define PV_BASE_FILTER_PARTS_H

#include "common/base/filter/filter.h"
#include "common/base/filter/pattern.h"

enum pv_filter_op { PV_FILTER_LEAF, PV_FILTER_NOT, PV_FILTER_AND, PV_FILTER_OR };

/* An expression over earlier nodes. */
struct pv_filter_node {
	uint8_t op; /* enum pv_filter_op */
	uint8_t a, b;
};

enum { PV_FILTER_NODES = 4 * PV_FILTER_LEAVES };

/* A part of the text at the top level, in no parentheses: text and leaves, half-open. */
struct pv_filter_term {
	uint16_t at, end;
	uint8_t leaf, leaf_end;
};

struct pv_filter {
	struct pv_filter_leaf leaf[PV_FILTER_LEAVES];
	unsigned leaves;
	struct pv_filter_node node[PV_FILTER_NODES]; /* the last is the whole; none: empty */
	unsigned nodes;
	struct pv_filter_term term[PV_FILTER_LEAVES];
	unsigned terms;
	bool either;                                   /* the whole is parts with | between them */
	struct pv_pattern *pattern[PV_FILTER_REGEXES]; /* leaf.at */
	unsigned patterns;
	char text[PV_FILTER_MAX]; /* of the leaves, in lower case where case is ignored */
	/*
	 * By byte of a leaf's text: length of the longest proper prefix of the text that ends at
	 * this byte.
	 */
	uint16_t again[PV_FILTER_MAX];
	unsigned used;
};

struct pv_filter_number {
	long double value, value_of_bytes; /* the second where "k" is 1024 */
	bool scaled;                       /* by a letter only: "2M" */
	enum pv_filter_unit unit;
};

/* Parses "10ms", "1.5MiB", "0.5%", "2k", "0x1f", "-3"; false: not a number. */
bool pv_filter_number_of(const char *text, size_t len, struct pv_filter_number *ret);

/* Appends a text to the filter's texts, in lower case if case is ignored; false when full. */
bool pv_filter_keep(struct pv_filter *f, const char *text, size_t len, bool any_case,
	struct pv_filter_leaf *leaf);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Text of source files for the screen. A path comes from a log or from debug information: the file
 * is read as this user, only if regular and of limited size, and only when shown. No state; any
 * thread.
 */
#ifndef PV_QUERY_SOURCE_TEXT_H
#define PV_QUERY_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/checksum.h"

enum {
	PV_SOURCE_MAPS = 16,
	PV_SOURCE_PATH = 512,     /* bytes of a path in a map, with the NUL */
	PV_SOURCE_LINES = 100000, /* lines shown of a file, at most */
	PV_SOURCE_MOST = 16 << 20 /* files of this size or more are not read */
};

/* Source paths of the machine that built the program, and the paths here. */
struct pv_source_map {
	char from[PV_SOURCE_PATH], to[PV_SOURCE_PATH];
};

/* Plain data, empty when zeroed. */
struct pv_source_maps {
	struct pv_source_map map[PV_SOURCE_MAPS];
	size_t n;
};

/* Adds "FROM=TO". False, and nothing is added: no map, too long, or one too many. */
bool pv_source_maps_add(struct pv_source_maps *maps, const char *text);
/* True for "FROM=TO" with both paths within their limits. */
bool pv_source_map_is(const char *text);

/* The lines that a view shows; texts and maps are borrowed. */
struct pv_source_wish {
	const char *file; /* path as in the log or debug information; NULL: by the method */
	/*
	 * By this method's most sampled line, of a stack (as a table has it) the innermost method
	 * with a known line; NULL: any method's.
	 */
	const char *method;
	uint32_t line; /* with `file`: the first line; 0: the most sampled line */
	bool machine;  /* the machine code of the function there */
	const struct pv_source_maps *maps; /* NULL: none */
};

/*
 * The path of a file on this machine, by the first map whose FROM is the path or a folder above.
 * False: too long.
 */
bool pv_source_place(const char *path, const struct pv_source_maps *maps, char *ret, size_t size);

struct pv_source_text {
	char path[PV_SOURCE_PATH * 2]; /* of the file on this machine */
	const char *why;               /* why reading failed, a constant or in `said`; NULL: read */
	int64_t changed_s;             /* time of the last change, seconds since 1970 */
	enum pv_checksum algorithm;    /* of the checksum */
	uint8_t hash[PV_CHECKSUM_MOST]; /* of the file's bytes, then zeros */
	char *text;                     /* owned; lines end with 0 */
	const char **line;              /* owned: the lines, from [0] */
	size_t lines;
	bool cut; /* the file has more than PV_SOURCE_LINES */
	char said[200];
};

/*
 * The file of a path, by the maps, with a checksum by `algorithm`. Tabs become blanks up to the
 * next fourth column. False: out of memory; finish is fine in any case.
 */
bool pv_source_text_read(const char *path, const struct pv_source_maps *maps,
	enum pv_checksum algorithm, struct pv_source_text *ret);
/*
 * Takes a text from elsewhere, which stays the caller's, in place of a file's. False: out of
 * memory.
 */
bool pv_source_text_set(struct pv_source_text *t, const char *text, size_t len);
void pv_source_text_finish(struct pv_source_text *t);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * IL offsets of a stream's code: the runtime's map of each compiled body (MethodILToNativeMap, of
 * ClrEtwAll.man) is kept, and given out once a sample meets the body. Private to this folder, on
 * the thread of the stream.
 */
#ifndef PV_FORMAT_NETTRACE_IL_H
#define PV_FORMAT_NETTRACE_IL_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/ranges.h"

struct pv_stream;
struct pv_cursor;
struct nt_blob;

enum { NT_IL_MODULES = 1 << 16, NT_IL_BODIES = 1 << 18, NT_IL_STEPS = 4 << 20 };

struct nt_module {
	uint32_t path,
		pdb; /* interned; pdb: identity of the module's PDB, as in meta.mvid of an image */
	bool said;
};

/* Code of a method; n 0: no map (yet); start 0: only the map has come. */
struct nt_body {
	uint64_t method, module, start;
	uint32_t size, token;
	uint32_t first, n; /* in step */
	bool said;
};

struct nt_step {
	uint32_t il, native;
};

struct nt_il {
	PV_ARRAY(struct nt_module) module;
	struct pv_map module_of;       /* the runtime's id -> index */
	PV_ARRAY(struct nt_body) body; /* [0] unused */
	struct pv_map body_of;         /* the runtime's id of a method -> newest body */
	struct pv_ranges code;         /* bodies with maps */
	PV_ARRAY(struct nt_step) step;
	struct pv_map place_of; /* addresses given out as places -> body */
};

/* Events: a module, a map (`here`: in the rundown), a loaded method. */
void nt_il_module(struct pv_stream *s, struct pv_cursor *c);
void nt_il_map(struct pv_stream *s, struct pv_cursor *c, bool here);
void nt_il_loaded(struct pv_stream *s, const struct nt_body *b);

/*
 * Gives frames in code with a map their address as the key, in place of the method's. `key`: of the
 * event's frames, innermost first.
 */
void nt_il_places(struct pv_stream *s, const struct nt_blob *b, uint64_t *key, size_t n);

/* Writes the map of a method known only now, after samples at the address. */
void nt_il_known(struct pv_stream *s, uint64_t address, uint64_t offset);

void nt_il_finish(struct nt_il *il); /* frees everything */

#endif

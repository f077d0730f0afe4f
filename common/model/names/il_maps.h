/* SPDX-License-Identifier: MIT */
/*
 * Maps from compiled code of .NET to places in methods' IL: an entry for each body that samples met
 * (events of extension family 7). A method has a body for each tier, and may have several at once.
 * Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_IL_MAPS_H
#define PV_MODEL_IL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum {
	PV_IL_MAPS_CAP = 1 << 18,
	PV_IL_STEPS_CAP = 4 << 20,
	PV_IL_BODIES = 64, /* of a method: later ones are dropped */
};

/* From this offset in the code on, up to the offset of the next entry. */
struct pv_il_step {
	uint32_t native, il; /* il: an offset, or the lower half of a PV_IL_* */
};

struct pv_il_map {
	uint64_t code;     /* address */
	uint32_t size;     /* bytes */
	uint32_t method;   /* id in names */
	uint32_t image;    /* id in names' images, the module; 0: not known */
	uint32_t token;    /* of the method in the module's metadata */
	uint32_t first, n; /* in step */
	uint32_t bodies;   /* of the method, including this body */
	uint32_t before;   /* map of an earlier body of the method; 0: none */
};

struct pv_il_maps {
	PV_ARRAY(struct pv_il_map) map; /* [0] unused */
	PV_ARRAY(struct pv_il_step) step;
	struct pv_il_lines *lines; /* private: il_lines.h; NULL: nothing was asked */
	struct pv_map of;          /* method id -> index of the newest map */
	uint64_t dropped;          /* maps beyond a limit, or impossible for any body */
};

struct pv_context;
struct pv_event;

/* Private to the model. False when out of memory. */
bool pv_il_maps_apply(struct pv_context *x, const struct pv_event *e);
void pv_il_maps_finish(struct pv_il_maps *l);

/* The newest map of a body with the address, valid under the lock; NULL: none. */
const struct pv_il_map *pv_il_map_at(const struct pv_il_maps *l, uint32_t method, uint64_t address);

/*
 * The IL offset of the code at an address of the map's body: 0 before the method's first statement,
 * UINT32_MAX after the last; code without IL has the offset of the code before. False: before the
 * first statement of a body that begins inside a loop (on-stack replacement), where the runtime
 * gives no offset.
 */
bool pv_il_offset(
	const struct pv_il_maps *l, const struct pv_il_map *map, uint64_t address, uint32_t *ret);

#endif

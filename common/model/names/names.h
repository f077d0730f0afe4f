/* SPDX-License-Identifier: MIT */
/*
 * Names and lifetimes: wire keys -> ids -> names. A key (pointer) may name different things over
 * time; an id stands for (key, epoch). Ids are dense, start at 1 and stay; 0 is unknown. Text is
 * interned: a name's pointer is good until the model dies. Part of the model: written by the ingest
 * thread under the model's lock, read under it.
 */
#ifndef PV_MODEL_NAMES_H
#define PV_MODEL_NAMES_H

#include "common/base/intern.h"
#include "common/format/event.h"
#include "common/model/names/epochs.h"
#include "common/model/names/members.h"
#include "common/base/ranges.h"

/* Things with a name that log events load, name and unload. */
enum pv_entity_kind {
	PV_ENTITY_CLASS,
	PV_ENTITY_VTABLE,
	PV_ENTITY_IMAGE,
	PV_ENTITY_ASSEMBLY,
	PV_ENTITY_DOMAIN,
	PV_ENTITY_CONTEXT,
	PV_ENTITY_KINDS
};

#define PV_NEVER INT64_MAX /* a time that was not seen */
enum {
	PV_NATIVE_CAP = 65536,
	PV_CLASSES_CAP = 500000,
	PV_ENTITIES_CAP = PV_CLASSES_CAP,
	PV_METHODS_CAP = 1000000
};

/* One epoch of one key. */
struct pv_entity {
	uint64_t key;
	uint32_t name;   /* interned; 0 until known */
	uint32_t extra;  /* interned MVID of an image, else 0 */
	uint64_t owner;  /* key of the class's image, vtable's class, assembly's image,
			  * context's domain */
	uint64_t domain; /* vtable: key of the domain; class of a 2007 log: key of the assembly */
	int64_t load_ns, unload_ns;          /* log clock; PV_NEVER when not seen */
	uint32_t before;                     /* id of the key's earlier epoch, 0 = none */
	uint32_t next_owned, next_in_domain; /* private */
	bool failed;                         /* the load did not succeed */
	bool inferred; /* unload_ns is the container's: the entity's own has not come yet */
};

struct pv_method {
	uint64_t key;
	uint64_t code;          /* address; 0 unknown */
	int64_t from_ns;        /* log clock of the first description, PV_NEVER without */
	int64_t jit_ns;         /* of the first compilation, likewise */
	int64_t end_ns;         /* freed, or the class unloaded; PV_NEVER when not seen */
	uint32_t name;          /* interned full name; 0: show the key */
	uint32_t code_size;     /* bytes; 0 when unknown or impossible */
	uint32_t before;        /* id of the key's earlier epoch, 0 = none */
	uint32_t jits;          /* descriptions seen */
	uint32_t next_of_class; /* private */
	bool shared; /* the key has, or may come to have, other meanings: the time decides */
	bool used;   /* by an event other than the description */
	bool native; /* not a method: an address sampled outside managed code */
};

/* A class as allocations and heap objects name it: by vtable (data version >= 15) or class key. */
struct pv_class_use {
	uint64_t key;
	uint32_t entity; /* id in entities[VTABLE] or [CLASS], 0 until one is known */
	bool by_vtable;
	bool ended;      /* the key has had another meaning: the time of a use decides */
	bool other;      /* folded beyond the cap: the key is not known */
	uint32_t before; /* id of another use of the key, 0 = none */
	int64_t last_ns; /* greatest time of a use */
};

struct pv_names {
	struct pv_intern text;
	PV_ARRAY(struct pv_entity) entity[PV_ENTITY_KINDS]; /* by id; [0] unused */
	struct pv_map entity_of[PV_ENTITY_KINDS];           /* key -> newest id */
	PV_ARRAY(struct pv_method) method;
	struct pv_map method_of, place_of; /* place_of: see pv_names_function_key() */
	PV_ARRAY(struct pv_class_use) class_use;
	struct pv_map class_of;
	bool classes_by_vtable;
	struct pv_ranges symbols;   /* the log's, of native code: address -> interned name, path */
	struct pv_ranges functions; /* found in files on this machine: likewise, names */
	struct pv_ranges code;      /* compiled methods: address -> method id */
	size_t class_cap;           /* PV_CLASSES_CAP, less in tests */
	size_t method_cap;          /* PV_METHODS_CAP, less in tests */
	uint32_t other_class;       /* id of the class use beyond the cap, 0 = not needed yet */
	uint32_t other_method;      /* likewise */
	uint64_t folded_uses;       /* look-ups that ended in one of the two */
	uint64_t classes_folded;    /* classes that were known and are "other" now */
	size_t entity_cap;          /* PV_ENTITIES_CAP, less in tests */
	uint64_t undefined;         /* definitions of classes dropped beyond the cap */
	uint64_t unloads;           /* unload events met */
	uint64_t epochs;            /* keys that were given a second meaning */
	uint64_t ambiguous_ends;    /* of these, second meanings after uses that they may concern */
	/* not searched: inlined functions of sampled addresses, source lines of native methods */
	uint64_t uninlined, unlined;
	uint64_t changes; /* grows with any event that can change the name of an id */

	/* private */
	int64_t applied_ns;              /* greatest time of the uses counted so far */
	size_t class_fold_at;            /* ids at which the next fold is due */
	PV_ARRAY(uint32_t) newly_shared; /* methods, by the last pv_names_apply() */
	bool all_shared;                 /* likewise: no memory for the list */
	struct pv_epochs key_epochs[PV_ENTITY_KINDS], method_epochs;
	struct pv_map use_of_entity; /* (by vtable, entity) -> newest class use with this meaning */
	struct pv_map use_unbound; /* key -> newest class use without a definition, 0 = none now */
	struct pv_map native_of;   /* sampled address -> method id */
	struct pv_map methods_of, living; /* class name -> newest method, classes alive */
	struct pv_map owned[PV_ENTITY_KINDS], in_domain; /* container's key -> newest member */
	struct pv_members outlived[PV_ENTITY_KINDS], outlived_domain, outlived_class;
};

/* False: out of memory, here and below where nothing else is said. */
bool pv_names_init(struct pv_names *n);
void pv_names_finish(struct pv_names *n);
/* Derives tables from the lists anew; relist puts all into lists before. False: out of memory. */
bool pv_names_link(struct pv_names *n);
bool pv_names_relist(struct pv_names *n);

/*
 * Id of a key used at `time` (log clock), made when new; 0 only when out of memory: the newest
 * definition at or before `time` that had not ended, else the first later one. While a method is
 * not `shared` its key has one meaning, whatever the time.
 */
uint32_t pv_names_method(struct pv_names *n, uint64_t key, int64_t time);
uint32_t pv_names_class(struct pv_names *n, uint64_t key, int64_t time);

/* True if all uses in a range of time mean the same method, as far as is known. */
bool pv_names_is_unambiguous(const struct pv_names *n, uint64_t key, int64_t from, int64_t to);

/*
 * Id for a sampled address: the compiled method with this code, else a `native` id for the address,
 * named by its symbol, whenever that arrives. 0: too many of these, or no memory.
 */
uint32_t pv_names_ip(struct pv_names *n, uint64_t address);

/*
 * Applies METHOD_JIT, SAMPLE_SYMBOL and load, unload and name events (all metadata kinds but
 * threads). *ret_shared: the methods of newly_shared have become `shared`. False: out of memory.
 */
bool pv_names_apply(struct pv_names *n, const struct pv_event *e, bool *ret_shared);

#include "common/model/names/names_find.h"

#endif

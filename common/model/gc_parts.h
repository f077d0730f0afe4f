/*
 * Private to the model: what gc.c hands on to the files about the heap's size, handles, finalizers
 * and roots; and what apply.c hands on to notes.c. The rules of model_parts.h hold.
 */
#ifndef PV_MODEL_GC_PARTS_H
#define PV_MODEL_GC_PARTS_H

#include "common/model/model_parts.h"

bool pv_gc_resize(struct pv_context *x, const struct pv_event *e);
bool pv_gc_moves(struct pv_context *x, const struct pv_event *e);

bool pv_handles_apply(struct pv_context *x, const struct pv_event *e);
void pv_handles_init(struct pv_handles *h);
void pv_handles_finish(struct pv_handles *h);
bool pv_finalizers_apply(struct pv_context *x, const struct pv_event *e);
/* Something of this thread was not recorded: its finalizers end nowhere. */
void pv_finalizers_gap(struct pv_finalizers *f, const struct pv_thread *th);
void pv_finalizers_finish(struct pv_finalizers *f);
bool pv_roots_apply(struct pv_context *x, const struct pv_event *e);
void pv_roots_finish(struct pv_roots *r);
bool pv_notes_apply(struct pv_context *x, const struct pv_event *e);
void pv_notes_finish(struct pv_notes *n);

/* Handles, finalizers and roots, saved or loaded. */
void pv_gc_archive_places(struct pv_archive *a, struct pv_model *m);

#endif

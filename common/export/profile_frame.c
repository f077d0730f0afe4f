/* SPDX-License-Identifier: MIT */
/* Interns frames of a profile by name, file and line, and answers their texts and order. */
#include "common/export/profile_frame.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/export/profile.h"

void pv_profile_frames_finish(struct pv_profile_frames *f)
{
	pv_array_finish(&f->v);
	pv_map_finish(&f->of);
}

/* The frame equal to `like`, made when new. Frames without a line are equal in all files. */
static bool frame_intern(
	struct pv_profile_frames *f, const struct pv_profile_frame *like, uint32_t *ret)
{
	const uint64_t key = (uint64_t)like->text << 32 | like->line;
	const uint32_t newest = pv_map_get(&f->of, key);
	for (uint32_t i = newest == PV_MAP_NONE ? 0 : newest; i; i = f->v.v[i].before)
		if (f->v.v[i].file == like->file || !like->line) {
			*ret = i;
			return true;
		}
	if (!pv_reserve(&f->v, 2))
		return false;
	if (f->v.n == 0)
		f->v.v[f->v.n++] = (struct pv_profile_frame){ 0 };
	*ret = (uint32_t)f->v.n;
	if (!pv_map_set(&f->of, key, *ret))
		return false;
	f->v.v[f->v.n] = *like;
	f->v.v[f->v.n++].before = newest == PV_MAP_NONE ? 0 : newest;
	return true;
}

bool pv_profile_frame(struct pv_profile *p, const char *name, uint32_t *ret)
{
	struct pv_profile_frame f = { 0 };
	return pv_intern_add(&p->text, name, strlen(name), &f.text) &&
	       frame_intern(&p->frame, &f, ret);
}

bool pv_profile_frame_at(struct pv_profile *p, uint32_t frame, const char *file, uint32_t line,
	uint32_t start, uint32_t *ret)
{
	struct pv_profile_frame *is = &p->frame.v.v[frame];
	struct pv_profile_frame f = { .text = is->text, .line = line, .start = start };
	*ret = frame;
	if (!pv_intern_add(&p->text, file, strlen(file), &f.file))
		return false;
	if (p->lines == PV_LINES_OF_FRAMES)
		return frame_intern(&p->frame, &f, ret);
	if (p->lines == PV_LINES_OF_FUNCTIONS && !is->file) {
		is->file = f.file;
		is->start = start;
	}
	return true;
}

const struct pv_profile_frame *pv_profile_frame_of(const struct pv_profile *p, uint32_t frame)
{
	static const struct pv_profile_frame none;
	return frame == PV_FRAME_CUT ? &none : &p->frame.v.v[frame & ~PV_FRAME_CLASS];
}

char *pv_profile_text(const struct pv_profile *p, uint32_t frame)
{
	if (frame == PV_FRAME_CUT)
		return strdup("(further callers)");
	return pv_showable_text(pv_intern_text(&p->text, pv_profile_frame_of(p, frame)->text));
}

char *pv_profile_file(const struct pv_profile *p, uint32_t frame)
{
	const uint32_t file = pv_profile_frame_of(p, frame)->file;
	return pv_showable_text(file ? pv_intern_text(&p->text, file) : "");
}

int pv_profile_frame_order(const struct pv_profile *p, uint32_t a, uint32_t b)
{
	const struct pv_profile_frame *x = pv_profile_frame_of(p, a),
				      *y = pv_profile_frame_of(p, b);
	int order = strcmp(pv_intern_text(&p->text, x->text), pv_intern_text(&p->text, y->text));
	if (!order && x->file != y->file)
		order = strcmp(x->file ? pv_intern_text(&p->text, x->file) : "",
			y->file ? pv_intern_text(&p->text, y->file) : "");
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

#include "tui/app/feed_identity.h"

#include <stdlib.h>

#include "common/ingest/again/identity_read.h"
#include "tui/app/feed.h"
#include "tui/app/feed_heap.h"

_Static_assert(UI_NO_SHOT == PV_IDENTITY_NO_SHOT, "both say that no shot was chosen");

struct ui_following {
	struct pv_identity_read *read;
};

struct ui_following *ui_feed_follow(
	struct ui_feed *f, uint32_t base, uint32_t shot, bool by_address, struct pv_error *reterr)
{
	const struct pv_identity_read_options o = { base, shot, by_address };
	struct ui_following *w = calloc(1, sizeof *w);
	if (!w) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	w->read = pv_identity_read_start(ui_feed_ingest(f), &o, reterr);
	if (w->read)
		return w;
	free(w);
	return NULL;
}

void ui_following_status(struct ui_following *w, struct ui_following_status *ret)
{
	struct pv_identity_read_status s;
	pv_identity_read_status(w->read, &s);
	*ret = (struct ui_following_status){ .over = s.over,
		.done = s.done,
		.phase = s.phase,
		.step = s.step,
		.steps = s.steps,
		.error = s.error };
}

const struct pv_identity *ui_following_identity(struct ui_following *w)
{
	return pv_identity_read_result(w->read);
}

struct pv_model *ui_following_model(struct ui_following *w)
{
	return pv_identity_read_model(w->read);
}

void ui_following_wait(struct ui_following *w)
{
	pv_identity_read_wait(w->read);
}

void ui_following_cancel(struct ui_following *w)
{
	pv_identity_read_cancel(w->read);
}

void ui_following_destroy(struct ui_following *w)
{
	if (!w)
		return;
	pv_identity_read_destroy(w->read);
	free(w);
}

/* SPDX-License-Identifier: MIT */
/*
 * Layouts with the same data version: the one in use is found by trying to decode. Releases do not
 * need this, as their buffers decode at once. One thread uses a batch.
 */
#ifndef PV_FORMAT_MLPD_LAYOUT_H
#define PV_FORMAT_MLPD_LAYOUT_H

#include "common/format/mlpd/mlpd.h"

/* Whether a header of this data version may stand for more than one layout. */
bool mlpd_has_layouts(uint8_t says);

/*
 * For a batch that did not decode with *f: decodes its bytes again in every other layout of a log
 * whose header says data version `says`. If a layout takes all bytes, the batch holds what was
 * decoded, *f is the layout and *ret_changed is true; else all is as before. False: out of memory.
 * `start` is the state at the batch's first byte; `partial` as in mlpd_decode_batch().
 */
struct mlpd_layout_probe {
	uint8_t says;
	bool partial;
	struct mlpd_bases start;
};
bool mlpd_try_layouts(struct pv_batch *b, const struct mlpd_layout_probe *t, struct mlpd_format *f,
	bool *ret_changed);

/* Buffers that may fail before a log is taken for a damaged release. */
enum { MLPD_TRIALS = 64 };

/*
 * The same for the first `n` bytes of a buffer, kept by the caller. *trials, MLPD_TRIALS at first,
 * is reduced by each buffer that did not decode.
 */
bool mlpd_choose_layout(const uint8_t *payload, size_t n, const struct mlpd_layout_probe *t,
	struct mlpd_format *f, unsigned *trials);

#endif

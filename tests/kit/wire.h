/* SPDX-License-Identifier: MIT */
/* Logs as bytes, made in a few calls through the encoder: for tests of what reads them. */
#ifndef PV_TESTS_WIRE_H
#define PV_TESTS_WIRE_H

#include "common/format/mlpd/mlpd.h"

struct wire {
	PV_ARRAY(uint8_t) out;    /* the log so far */
	PV_ARRAY(uint8_t) events; /* of the buffer being filled */
	struct mlpd_buffer_header head;
	struct mlpd_bases bases;
	struct mlpd_format format;
	uint64_t now; /* ns; every event advances it by `step` */
	uint64_t step;
};

void wire_init(struct wire *w);
void wire_finish(struct wire *w);

void wire_header(struct wire *w, uint32_t pid, uint64_t start_ms);
/* Ends the buffer before, if there is one, and begins another. */
void wire_buffer(struct wire *w, uint64_t thread);
void wire_end_buffer(struct wire *w);

void wire_event(struct wire *w, const struct pv_event *e, const struct pv_batch *pools);
void wire_name(struct wire *w, uint64_t method, const char *name);
void wire_enter(struct wire *w, uint64_t method);
void wire_leave(struct wire *w, uint64_t method);

#endif

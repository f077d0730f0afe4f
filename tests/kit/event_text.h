/* SPDX-License-Identifier: MIT */
/* An event as text by its row's field names, so that tests compare whole events as strings. */
#ifndef PV_TESTS_EVENT_TEXT_H
#define PV_TESTS_EVENT_TEXT_H

#include "common/format/mlpd/mlpd.h"

/* "SYMBOL t=TIME member=value ..."; numbers in hex, lists in brackets. */
void event_text(char *buf, size_t size, const struct pv_event *e, const struct pv_batch *pools,
	uint8_t data_version);

#endif

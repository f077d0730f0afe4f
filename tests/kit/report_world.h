/* SPDX-License-Identifier: MIT */
/* One small model with something in every section, for tests of reports. */
#ifndef PV_TESTS_REPORT_WORLD_H
#define PV_TESTS_REPORT_WORLD_H

#include "common/report/report.h"
#include "tests/kit/query_kit.h"

struct kit report_world(void);

/* The report as text; free() it. Fails the test when it cannot be written. */
char *report_text(struct kit *k, const struct pv_report_options *o);

#endif

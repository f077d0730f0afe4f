/* SPDX-License-Identifier: MIT */
/* Checks whether a filter concerns the rows of a view. Any thread. */
#ifndef PV_QUERY_FILTER_FITS_H
#define PV_QUERY_FILTER_FITS_H

#include "common/query/views.h"

/*
 * False with the reason: "no column self", "no thread", "no names", or the mistake in an invalid
 * filter; cut to `size` bytes. Comparisons by another view's columns do not fit. Rows of the stream
 * are read from the log by the filter, and rows of PV_VIEW_FLAME are paths. True where memory is
 * short.
 */
bool pv_filter_fits(enum pv_view view, const char *text, char *ret, size_t size);

#endif

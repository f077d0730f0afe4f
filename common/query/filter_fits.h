/* Whether a filter asks for something that the rows of a view have. Any thread. */
#ifndef PV_QUERY_FILTER_FITS_H
#define PV_QUERY_FILTER_FITS_H

#include "common/query/views.h"

/*
 * False with why not: "no column self", "no thread", "no names", or the mistake in a filter that is
 * none; cut to `size` bytes. A comparison that these rows' columns do not make, but those of another
 * view, does not fit. Rows of the stream are read from the log for the filter, those of PV_VIEW_FLAME
 * are paths. True where memory is short.
 */
bool pv_filter_fits(enum pv_view view, const char *text, char *ret, size_t size);

#endif

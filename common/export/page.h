/* SPDX-License-Identifier: MIT */
/* The page of a flame report, page.html, before and after the data; made by embed.py. */
#ifndef PV_EXPORT_PAGE_H
#define PV_EXPORT_PAGE_H

extern const char pv_page_before[], pv_page_after[];

#endif

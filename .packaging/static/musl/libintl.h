/* SPDX-License-Identifier: MIT */
/* Messages of elfutils stay as they are. */
#pragma once
#define gettext(text) (text)
#define dgettext(domain, text) (text)
#define ngettext(one, more, n) ((n) == 1 ? (one) : (more))
#define textdomain(domain)
#define bindtextdomain(domain, folder)

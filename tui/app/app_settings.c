/* SPDX-License-Identifier: MIT */
/* Settings of the user: from profview.conf to the screen, and back when the user saves them. */
#include <limits.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "tui/app/app_parts.h"
#include "tui/app/conf.h"

struct ui_term_options ui_app_term_options(const struct ui_options *o)
{
	const enum ui_background set = o->conf ? o->conf->background : UI_BACKGROUND_AUTO;
	return (struct ui_term_options){ .color = o->color,
		.background = o->background_given ? o->background : set,
		.theme = o->conf ? &o->conf->theme : NULL,
		.keys_from_tty = !isatty(STDIN_FILENO) };
}

/* Maps of the command line go before the file's. */
static void take_maps(struct ui_settings *s, const struct ui_texts *given)
{
	const struct pv_source_maps kept = s->maps;
	s->maps.n = 0;
	for (int i = 0; i < given->n; i++)
		pv_source_maps_add(&s->maps, given->at[i]);
	s->maps_given = s->maps.n;
	for (size_t i = 0; i < kept.n && s->maps.n < PV_SOURCE_MAPS; i++)
		s->maps.map[s->maps.n++] = kept.map[i];
}

void ui_app_take_settings(struct app *a, const struct ui_options *o)
{
	const struct ui_conf *conf = o->conf;
	if (conf)
		a->settings = conf->settings;
	take_maps(&a->settings, &o->source);
	a->screen.source.wish.maps = &a->settings.maps;
	pv_units_use(a->settings.units);
	a->screen.shared.settings = &a->settings;
	a->screen.shared.named = conf ? &conf->filters : NULL;
}

void ui_app_save_settings(struct app *a)
{
	char path[PATH_MAX] = "";
	struct pv_error e = { 0 };
	if (!a->settings.save)
		return;
	a->settings.save = false;
	if (!a->settings.n && !a->settings.units_chosen && !a->settings.glyphs_chosen &&
		!a->settings.maps_given)
		ui_screen_say(&a->screen, true,
			"nothing was set: :columns, :units, :glyphs and --source do");
	else if (ui_conf_save(&a->settings, path, sizeof path, &e))
		ui_screen_say(&a->screen, false, "written into %s", PV_FIT(path, 200));
	else
		ui_screen_say(&a->screen, true, "%s: %s", path[0] ? PV_FIT(path, 150) : "settings",
			e.what);
}

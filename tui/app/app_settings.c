/* Settings of the user: from profview.conf to the screen, and back when that is asked for. */
#include <limits.h>

#include "common/base/utf8.h"
#include "tui/app/app_parts.h"
#include "tui/app/conf.h"

void ui_app_take_settings(struct app *a, const struct ui_conf *conf)
{
	if (conf)
		a->settings = conf->settings;
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
	if (!a->settings.n && !a->settings.units_chosen && !a->settings.glyphs_chosen)
		ui_screen_say(&a->screen, true, "nothing was set: :columns, :units and :glyphs do");
	else if (ui_conf_save(&a->settings, path, sizeof path, &e))
		ui_screen_say(&a->screen, false, "written into %s", PV_FIT(path, 200));
	else
		ui_screen_say(&a->screen, true, "%s: %s", path[0] ? PV_FIT(path, 150) : "settings",
			e.what);
}

/* Definitions and unloads: domains, assemblies, modules, classes, methods. */
#include <stdio.h>
#include <string.h>

#include "probe/emit.h"
#include "probe/host_clr.h"
#include "probe/mono_names.h"

enum { TEXT = 1024 }; /* UTF-16 units of a path or an assembly's name */

static _Atomic uint64_t domain;

uint64_t pvp_clr_domain(void)
{
	return atomic_load_explicit(&domain, memory_order_relaxed);
}

static struct pv_event meta(uint8_t kind, uint64_t id)
{
	return (struct pv_event){ .kind = kind,
		.meta = { .key = pvp_clr_key(id), .name = { "", 0 }, .mvid = { "", 0 } } };
}

/* --- domains */

static pvp_hr domain_created(void *self, uint64_t id, pvp_hr result)
{
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_char text[TEXT];
	char name[3 * TEXT];
	uint32_t n = 0;
	uint64_t process;
	(void)self;
	if (result < 0)
		return 0;
	struct pv_event load = meta(PV_KIND_DOMAIN_LOAD, id);
	struct pv_event named = meta(PV_KIND_DOMAIN_NAME, id);
	atomic_store_explicit(&domain, pvp_clr_key(id), memory_order_relaxed);
	pvp_names_define(&load);
	if (info->is->domain_info(info, id, TEXT, &n, text, &process) < 0)
		return 0;
	named.meta.name = (struct pv_text){ name, pvp_clr_utf8(text, n, name, sizeof name) };
	pvp_names_define(&named);
	return 0;
}

static pvp_hr domain_gone(void *self, uint64_t id, pvp_hr result)
{
	(void)self, (void)result;
	struct pv_event ev = meta(PV_KIND_DOMAIN_UNLOAD, id);
	pvp_names_end(&ev);
	return 0;
}

/* --- assemblies */

static struct pv_event assembly_event(uint8_t kind, uint64_t id, char *name, size_t room)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pv_event ev = meta(kind, id);
	pvp_char text[TEXT];
	uint32_t n = 0;
	uint64_t home, module = 0;
	if (info->is->assembly_info(info, id, TEXT, &n, text, &home, &module) >= 0) {
		ev.meta.image = pvp_clr_key(module);
		ev.meta.name = (struct pv_text){ name, pvp_clr_utf8(text, n, name, room) };
	}
	return ev;
}

static pvp_hr assembly_loaded(void *self, uint64_t id, pvp_hr result)
{
	char name[3 * TEXT];
	(void)self;
	if (result < 0)
		return 0;
	struct pv_event ev = assembly_event(PV_KIND_ASSEMBLY_LOAD, id, name, sizeof name);
	pvp_names_define(&ev);
	return 0;
}

static pvp_hr assembly_unloading(void *self, uint64_t id)
{
	char name[3 * TEXT];
	(void)self;
	struct pv_event ev = assembly_event(PV_KIND_ASSEMBLY_UNLOAD, id, name, sizeof name);
	pvp_names_end(&ev);
	return 0;
}

/* --- modules: the format's images */

static void put_mvid(uint64_t module, char *to, size_t room)
{
	struct pvp_clr_metadata *m = pvp_clr_metadata(module);
	struct pvp_guid g;
	pvp_char name[TEXT];
	uint32_t n;
	*to = 0;
	if (!m)
		return;
	if (m->is->scope(m, name, TEXT, &n, &g) >= 0)
		snprintf(to, room, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", g.a, g.b,
			g.c, g.d[0], g.d[1], g.d[2], g.d[3], g.d[4], g.d[5], g.d[6], g.d[7]);
	m->is->unknown.release(m);
}

static void image(uint8_t kind, uint64_t id)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pv_event ev = meta(kind, id);
	pvp_char text[TEXT];
	char name[3 * TEXT], mvid[40];
	const uint8_t *base;
	uint32_t n = 0;
	uint64_t assembly;
	if (info->is->module_info(info, id, &base, TEXT, &n, text, &assembly) >= 0)
		ev.meta.name = (struct pv_text){ name, pvp_clr_utf8(text, n, name, sizeof name) };
	if (kind == PV_KIND_IMAGE_UNLOAD) {
		pvp_names_end(&ev);
		return;
	}
	put_mvid(id, mvid, sizeof mvid);
	ev.meta.mvid = (struct pv_text){ mvid, strlen(mvid) };
	pvp_names_define(&ev);
}

static pvp_hr module_loaded(void *self, uint64_t id, pvp_hr result)
{
	(void)self;
	if (result >= 0)
		image(PV_KIND_IMAGE_LOAD, id);
	return 0;
}

static pvp_hr module_unloading(void *self, uint64_t id)
{
	(void)self;
	image(PV_KIND_IMAGE_UNLOAD, id);
	pvp_clr_module_gone(id);
	return 0;
}

void pvp_clr_module_there(uint64_t id)
{
	struct pvp_clr_info *info = pvp_clr.info;
	const uint8_t *base;
	uint32_t n = 0;
	uint64_t assembly = 0, home = 0, module;
	image(PV_KIND_IMAGE_LOAD, id);
	if (info->is->module_info(info, id, &base, 0, &n, NULL, &assembly) < 0 || !assembly ||
		info->is->assembly_info(info, assembly, 0, &n, NULL, &home, &module) < 0)
		return;
	if (pvp_clr_key(home) != pvp_clr_domain())
		domain_created(NULL, home, 0);
	assembly_loaded(NULL, assembly, 0);
}

/* --- classes and methods */

static pvp_hr class_loaded(void *self, uint64_t id, pvp_hr result)
{
	(void)self;
	if (result >= 0)
		pvp_clr_class(id);
	return 0;
}

static pvp_hr class_unloading(void *self, uint64_t id)
{
	(void)self;
	pvp_clr_class_gone(id);
	return 0;
}

static pvp_hr compiled(void *self, uint64_t function, pvp_hr result, int32_t safe)
{
	(void)self, (void)safe;
	if (result >= 0)
		pvp_clr_compiled(function);
	return 0;
}

static pvp_hr compiled_again(
	void *self, uint64_t function, uint64_t body, pvp_hr result, int32_t safe)
{
	(void)self, (void)body, (void)safe;
	if (result >= 0)
		pvp_clr_compiled(function);
	return 0;
}

static pvp_hr dynamic_gone(void *self, uint64_t function)
{
	(void)self;
	pvp_clr_method_gone(function);
	return 0;
}

void pvp_clr_meta_init(struct pvp_clr_mask *mask)
{
	pvp_clr_slot *s = pvp_clr.slots;
	mask->low |= PVP_CLR_DOMAINS | PVP_CLR_ASSEMBLIES | PVP_CLR_MODULES | PVP_CLR_CLASSES |
		     PVP_CLR_JIT;
	mask->high |= PVP_CLR_DYNAMIC_GONE;
	s[PVP_CLR_AppDomainCreationFinished] = (pvp_clr_slot)domain_created;
	s[PVP_CLR_AppDomainShutdownFinished] = (pvp_clr_slot)domain_gone;
	s[PVP_CLR_AssemblyLoadFinished] = (pvp_clr_slot)assembly_loaded;
	s[PVP_CLR_AssemblyUnloadStarted] = (pvp_clr_slot)assembly_unloading;
	s[PVP_CLR_ModuleLoadFinished] = (pvp_clr_slot)module_loaded;
	s[PVP_CLR_ModuleUnloadStarted] = (pvp_clr_slot)module_unloading;
	s[PVP_CLR_ClassLoadFinished] = (pvp_clr_slot)class_loaded;
	s[PVP_CLR_ClassUnloadStarted] = (pvp_clr_slot)class_unloading;
	s[PVP_CLR_JITCompilationFinished] = (pvp_clr_slot)compiled;
	s[PVP_CLR_ReJITCompilationFinished] = (pvp_clr_slot)compiled_again;
	s[PVP_CLR_DynamicMethodJITCompilationFinished] = (pvp_clr_slot)compiled;
	s[PVP_CLR_DynamicMethodUnloaded] = (pvp_clr_slot)dynamic_gone;
}

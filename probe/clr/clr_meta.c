/* SPDX-License-Identifier: MIT */
/* Definitions and unloads: domains, assemblies, modules, classes, methods. */
#include <stdio.h>
#include <string.h>

#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

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

/* --- failed loads */

enum { FAILED_CLASS = 1, FAILED_IMAGE = 2, FAILED_ASSEMBLY = 3 };

static void failed(uint64_t what, uint64_t id, struct pv_text name)
{
	struct pv_event ev = meta(PV_KIND_EXT_LOAD_FAILED, id);
	if (!(pvp_clr_groups() & PVP_MANAGED_RUNTIME))
		return;
	ev.meta.flags = what;
	ev.meta.name = name;
	pvp_names_say(&ev);
}

void pvp_clr_not_found(const char *name)
{
	failed(FAILED_ASSEMBLY, 0, (struct pv_text){ name, strlen(name) });
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
	struct pv_event ev = assembly_event(PV_KIND_ASSEMBLY_LOAD, id, name, sizeof name);
	if (result < 0) {
		failed(FAILED_ASSEMBLY, id, ev.meta.name);
		return 0;
	}
	pvp_names_define(&ev);
	pvp_clr_contexts_loaded(id, ev.meta.name.at);
	return 0;
}

static pvp_hr assembly_unloading(void *self, uint64_t id)
{
	char name[3 * TEXT];
	(void)self;
	struct pv_event ev = assembly_event(PV_KIND_ASSEMBLY_UNLOAD, id, name, sizeof name);
	pvp_clr_contexts_unloading(id);
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
	else
		failed(FAILED_IMAGE, id, (struct pv_text){ "", 0 });
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

/* Under the loader's lock: named by the agent, or at the first use. */
static pvp_hr class_loaded(void *self, uint64_t id, pvp_hr result)
{
	(void)self;
	char name[PVP_CLR_NAME];
	if (result >= 0)
		pvp_clr_class_note(id);
	else if (pvp_clr_groups() & PVP_MANAGED_RUNTIME)
		failed(FAILED_CLASS, id, (struct pv_text){ name, pvp_clr_class_name(id, name) });
	return 0;
}

static pvp_hr class_unloading(void *self, uint64_t id)
{
	(void)self;
	pvp_clr_class_gone(id);
	return 0;
}

/* Methods being compiled by this thread, nested, with their start times. */
enum { COMPILES = 4 };

struct compiling {
	uint32_t n; /* beyond COMPILES nothing is timed */
	struct {
		uint64_t function, since;
	} at[COMPILES];
};

static _Thread_local struct compiling compiling __attribute__((tls_model("initial-exec")));

static void enter_compile(uint64_t function)
{
	struct compiling *c = &compiling;
	if (c->n < COMPILES) {
		c->at[c->n].function = function;
		c->at[c->n].since = pvp_monotonic();
	}
	c->n++;
}

/* Time of the compilation; 0: begin not seen. Compilations begun inside have ended, too. */
static uint64_t took(uint64_t function)
{
	struct compiling *c = &compiling;
	if (c->n > COMPILES) {
		c->n--;
		return 0;
	}
	for (uint32_t i = c->n; i-- > 0;) {
		if (c->at[i].function != function)
			continue;
		c->n = i;
		uint64_t ns = pvp_monotonic() - c->at[i].since;
		return ns ? ns : 1;
	}
	return 0;
}

static void leave_compile(uint64_t function, pvp_hr result)
{
	bool recorded = pvp_clr_groups() & PVP_MANAGED_RUNTIME;
	uint64_t ns = recorded ? took(function) : 0;
	char name[PVP_CLR_NAME];
	if (result >= 0) {
		pvp_clr_compiled(function, ns);
		return;
	}
	struct pv_event ev = { .kind = PV_KIND_EXT_JIT_FAILED,
		.jit = { .method = pvp_clr_method(function), .started = ns } };
	ev.jit.name = (struct pv_text){ name, pvp_clr_method_name(function, name) };
	if (recorded)
		pvp_names_say(&ev);
}

static pvp_hr compile_begins(void *self, uint64_t function)
{
	(void)self;
	enter_compile(function);
	return 0;
}

static pvp_hr compiled(void *self, uint64_t function, pvp_hr result, int32_t safe)
{
	(void)self, (void)safe;
	leave_compile(function, result);
	return 0;
}

static pvp_hr compiled_again(
	void *self, uint64_t function, uint64_t body, pvp_hr result, int32_t safe)
{
	(void)self, (void)body, (void)safe;
	leave_compile(function, result);
	return 0;
}

static void code_gone(uint64_t function, enum pv_code_gone why)
{
	struct pv_event ev = { .kind = PV_KIND_EXT_CODE_GONE,
		.body = { .method = pvp_clr_method(function), .why = why } };
	if (pvp_clr_groups() & PVP_MANAGED_RUNTIME)
		pvp_event(&ev, NULL, 0);
}

static pvp_hr pitched(void *self, uint64_t function)
{
	(void)self;
	code_gone(function, PV_GONE_PITCHED);
	return 0;
}

static pvp_hr dynamic_gone(void *self, uint64_t function)
{
	(void)self;
	code_gone(function, PV_GONE_DYNAMIC);
	pvp_clr_method_gone(function);
	return 0;
}

static void runtime_init(void)
{
	pvp_clr_slot *s = pvp_clr.slots;
	if (!(pvp_clr_groups() & PVP_MANAGED_RUNTIME))
		return;
	s[PVP_CLR_JITCompilationStarted] = (pvp_clr_slot)compile_begins;
	s[PVP_CLR_ReJITCompilationStarted] = (pvp_clr_slot)compile_begins;
	s[PVP_CLR_DynamicMethodJITCompilationStarted] = (pvp_clr_slot)compile_begins;
	s[PVP_CLR_JITFunctionPitched] = (pvp_clr_slot)pitched;
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
	runtime_init();
}

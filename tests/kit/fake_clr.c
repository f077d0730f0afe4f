/* SPDX-License-Identifier: MIT */
#include "tests/kit/fake_clr.h"

#include <check.h>
#include <string.h>

#include "common/base/coreclr.h"
#include "common/base/status.h"

struct fake fake;
_Thread_local unsigned fake_metadata_asked;

extern pvp_hr DllGetClassObject(
	const struct pvp_guid *class, const struct pvp_guid *iid, void **ret);

static uint32_t counted(void *self)
{
	(void)self;
	return 1;
}

/* --- the information interface */

static pvp_hr module_metadata(
	void *self, uint64_t module, uint32_t flags, const struct pvp_guid *iid, void **ret)
{
	(void)self, (void)flags, (void)iid;
	fake_metadata_asked++;
	*ret = &fake_metadata;
	return module == FAKE_MODULE ? 0 : 1;
}

static pvp_hr array_class(
	void *self, uint64_t id, uint32_t *ret_element, uint64_t *ret_base, uint32_t *ret_rank)
{
	(void)self;
	*ret_element = 0x12;
	*ret_base = FAKE_CLASS_OF_INT;
	*ret_rank = 2;
	return id == FAKE_ARRAY ? 0 : 1;
}

static const uint64_t ids[] = { FAKE_CLASS, FAKE_INNER, FAKE_INT, FAKE_STRING, FAKE_ANYTHING };

static pvp_hr class_info(void *self, uint64_t id, uint64_t *ret_module, uint32_t *ret_token,
	uint64_t *ret_parent, uint32_t room, uint32_t *ret_n, uint64_t *types)
{
	(void)self;
	*ret_parent = 0;
	*ret_n = id == FAKE_CLASS_OF_INT || id == FAKE_CLASS_OF_STRING;
	if (room && *ret_n)
		types[0] = id == FAKE_CLASS_OF_INT ? FAKE_INT : FAKE_STRING;
	*ret_module = FAKE_MODULE;
	*ret_token = 0x02000002;
	if (*ret_n)
		return 0;
	for (uint32_t i = 0; i < PV_COUNT_OF(ids); i++)
		if (id == ids[i]) {
			*ret_token = 0x02000002 + i;
			return 0;
		}
	return PVP_HR(0x80131360);
}

static pvp_hr function_info(void *self, uint64_t function, uint64_t frame, uint64_t *ret_class,
	uint64_t *ret_module, uint32_t *ret_token, uint32_t room, uint32_t *ret_n, uint64_t *types)
{
	(void)self, (void)frame;
	*ret_class = function == FAKE_METHOD ? FAKE_CLASS_OF_INT : 0;
	*ret_module = FAKE_MODULE;
	*ret_n = function == FAKE_GENERIC;
	*ret_token = function == FAKE_METHOD    ? 0x06000001
		     : function == FAKE_GENERIC ? 0x06000002
		     : function == FAKE_BROKEN  ? 0x06000003
						: 0x06000000;
	if (*ret_n && room)
		types[0] = FAKE_STRING;
	return function >= FAKE_METHOD && function <= FAKE_BROKEN ? 0 : PVP_HR(0x80070057);
}

static pvp_hr dynamic_info(void *self, uint64_t function, uint64_t *ret_module,
	const uint8_t **ret_sig, uint32_t *ret_sig_n, uint32_t room, uint32_t *ret_n,
	pvp_char *name)
{
	(void)self;
	*ret_module = FAKE_MODULE;
	*ret_sig = NULL;
	*ret_sig_n = 0;
	fake_put("lambda", room, ret_n, name);
	return function == FAKE_DYNAMIC ? 0 : PVP_HR(0x80070057);
}

static pvp_hr code_starts(void *self, uint64_t function, uint64_t rejit, uint32_t room,
	uint32_t *ret_n, uint64_t *ret)
{
	(void)self, (void)rejit;
	*ret_n = function == FAKE_METHOD ? 2 : 1; /* one for each tier */
	for (uint32_t i = 0; i < *ret_n && i < room; i++)
		ret[i] = FAKE_CODE + function + i * 0x40;
	return 0;
}

static pvp_hr code_ranges(
	void *self, uint64_t start, uint32_t room, uint32_t *ret_n, struct pvp_clr_code *ret)
{
	(void)self;
	*ret_n = room ? 1 : 0;
	if (room)
		*ret = (struct pvp_clr_code){ start, 0x30 };
	return 0;
}

static pvp_hr module_info(void *self, uint64_t module, const uint8_t **ret_base, uint32_t room,
	uint32_t *ret_n, pvp_char *name, uint64_t *ret_assembly)
{
	(void)self, (void)module;
	*ret_base = NULL;
	*ret_assembly = FAKE_ASSEMBLY;
	fake_put(fake.library ? "/fake/System.Private.CoreLib.dll" : "/fake/fake.dll", room, ret_n,
		name);
	return 0;
}

static pvp_hr assembly_info(void *self, uint64_t assembly, uint32_t room, uint32_t *ret_n,
	pvp_char *name, uint64_t *ret_domain, uint64_t *ret_module)
{
	(void)self, (void)assembly;
	*ret_domain = FAKE_DOMAIN;
	*ret_module = FAKE_MODULE;
	fake_put("fake", room, ret_n, name);
	return 0;
}

static pvp_hr domain_info(void *self, uint64_t domain, uint32_t room, uint32_t *ret_n,
	pvp_char *name, uint64_t *ret_process)
{
	(void)self, (void)domain;
	*ret_process = 1;
	fake_put("home", room, ret_n, name);
	return 0;
}

static pvp_hr stack(void *self, uint64_t thread, pvp_clr_frame *frame, uint32_t flags, void *ctx,
	uint8_t *context, uint32_t context_size)
{
	(void)self, (void)thread, (void)flags, (void)context, (void)context_size;
	for (unsigned i = 0; i < fake.depth; i++)
		if (frame(i % 3 == 1 ? 0 : FAKE_METHOD, FAKE_CODE, 0, 0, NULL, ctx) != 0)
			return 1;
	return 0;
}

static pvp_hr generation_bounds(
	void *self, uint32_t room, uint32_t *ret_n, struct pvp_clr_range *ret)
{
	(void)self;
	*ret_n = 3;
	for (uint32_t i = 0; i < 3 && i < room; i++)
		ret[i] = (struct pvp_clr_range){ i, FAKE_OBJECT + i * 0x1000, 1000, 0x1000 };
	return 0;
}

static pvp_hr set_event_mask(void *self, uint32_t low, uint32_t high)
{
	(void)self;
	fake.masks++;
	fake.low = low;
	fake.high = high;
	return fake.refuse_mask;
}

static pvp_hr object_size_2(void *self, uint64_t object, uint64_t *ret)
{
	(void)self;
	*ret = fake.object_size ? fake.object_size : 20 + object % 8;
	return object ? 0 : PVP_HR(0x80070057);
}

static pvp_hr runtime_information(void *self, uint16_t *ret_instance, uint32_t *ret_type,
	uint16_t *ret_major, uint16_t *ret_minor, uint16_t *ret_build, uint16_t *ret_qfe,
	uint32_t room, uint32_t *ret_n, pvp_char *text)
{
	(void)self, (void)ret_instance, (void)ret_type, (void)ret_minor, (void)ret_build;
	(void)ret_qfe, (void)room, (void)ret_n, (void)text;
	if (fake.starting)
		fake.starting();
	*ret_major = fake.version >= 15 ? 10 : 5;
	return 0;
}

static pvp_hr function_of_ip(void *self, uint64_t ip, uint64_t *ret, uint64_t *ret_rejit)
{
	(void)self;
	*ret_rejit = 0;
	*ret = ip == FAKE_CODE ? FAKE_METHOD : 0;
	return *ret ? 0 : PVP_HR(0x80004005);
}

static pvp_hr class_of_object(void *self, uint64_t object, uint64_t *ret)
{
	(void)self;
	*ret = object % 64 ? FAKE_CLASS : FAKE_ARRAY;
	return object ? 0 : PVP_HR(0x80070057);
}

static pvp_hr suspend(void *self)
{
	(void)self;
	fake.suspends++;
	if (fake.suspends <= fake.refused_suspends)
		return PVP_HR(0x80131388);
	ck_assert_uint_eq(fake.suspended++, 0);
	return 0;
}

static pvp_hr resume(void *self)
{
	(void)self;
	ck_assert_uint_eq(fake.suspended--, 1);
	return 0;
}

static pvp_hr initialize_thread(void *self)
{
	(void)self;
	return 0;
}

/* Each array names all that came before it, up to what no event can hold. */
static pvp_hr references(void *self, uint64_t object, pvp_clr_reference *met, void *ctx)
{
	uint64_t i = (object - FAKE_OBJECT) / 32, target = FAKE_OBJECT;
	(void)self;
	ck_assert_uint_eq(fake.suspended, 1);
	for (uint64_t k = 0; object % 64 == 0 && k < i; k++) {
		if (!met(object, &target, ctx))
			return 1;
	}
	return 0;
}

static pvp_hr force_gc(void *self)
{
	(void)self;
	return fake.collect ? fake.collect() : 0;
}

static pvp_hr heap_objects(void *self, pvp_clr_object *met, void *ctx)
{
	(void)self;
	ck_assert_uint_eq(fake.suspended, 1);
	for (uint64_t i = 0; i < fake.objects; i++)
		if (!met(FAKE_OBJECT + 32 * i, ctx))
			return 1;
	return 0;
}

static pvp_hr start_events(void *self, uint32_t n, struct pvp_clr_provider *providers,
	int32_t rundown, uint64_t *ret_session)
{
	(void)self, (void)rundown;
	ck_assert_uint_ge(n, 1);
	fake.keywords = providers[0].keywords;
	fake.providers = n;
	*ret_session = ++fake.sessions;
	return 0;
}

static pvp_hr stop_events(void *self, uint64_t session)
{
	(void)self;
	ck_assert_uint_eq(session, fake.sessions);
	fake.stopped_sessions++;
	return 0;
}

static pvp_hr request_detach(void *self, uint32_t ms)
{
	(void)self, (void)ms;
	fake.detaches++;
	return fake.refuse_detach;
}

static pvp_hr il_body(
	void *self, uint64_t module, uint32_t token, const uint8_t **ret, uint32_t *ret_size)
{
	static const uint8_t tiny[] = { 2 << 2 | 2, 0, 0x2a }, fat[12] = { 3, 0x30, 0, 0, 9 };
	(void)self, (void)module;
	*ret = token == 0x06000001 ? fat : tiny;
	*ret_size = token == 0x06000001 ? sizeof fat : sizeof tiny;
	return 0;
}

static pvp_hr set_function_mapper(
	void *self, uint64_t (*map)(uint64_t function, void *ctx, int32_t *ret_hook), void *ctx)
{
	(void)self, (void)ctx;
	fake.map = map;
	return fake.masks ? 0 : PVP_HR(0x80131374);
}

/* The hooks themselves are called by compiled code, with registers that C does not know. */
static pvp_hr set_hooks(
	void *self, void (*enter)(void), void (*leave)(void), void (*tail_call)(void))
{
	(void)self;
	fake.hooks = (unsigned)(enter != NULL) + (leave != NULL) + (tail_call != NULL);
	return fake.masks ? 0 : PVP_HR(0x80131374);
}

/* Enumerations: two modules that are one, a thread that has no number yet, two functions. */
struct list {
	const struct pvp_clr_enum_table *is;
	uint32_t at, n;
	size_t size;
	uint64_t values[4];
};

static pvp_hr list_next(void *self, uint32_t room, void *ret, uint32_t *ret_n)
{
	struct list *l = self;
	uint32_t n = l->n - l->at < room ? l->n - l->at : room;
	memcpy(ret, (const char *)l->values + l->at * l->size, n * l->size);
	l->at += n;
	*ret_n = n;
	return l->at == l->n;
}

static const struct pvp_clr_enum_table list_table = {
	.unknown = { NULL, counted, counted },
	.next = list_next,
};

static pvp_hr enum_modules(void *self, struct pvp_clr_enum **ret)
{
	static struct list l;
	(void)self;
	l = (struct list){ &list_table, 0, 2, 8, { FAKE_MODULE, FAKE_MODULE } };
	*ret = (struct pvp_clr_enum *)&l;
	return 0;
}

static pvp_hr enum_threads(void *self, struct pvp_clr_enum **ret)
{
	static struct list l;
	(void)self;
	l = (struct list){ &list_table, 0, 1, 8, { 0x9000 } };
	*ret = (struct pvp_clr_enum *)&l;
	return 0;
}

static pvp_hr enum_functions(void *self, struct pvp_clr_enum **ret)
{
	static struct list l;
	(void)self;
	l = (struct list){ &list_table, 0, 2, 16, { FAKE_METHOD, 0, FAKE_DYNAMIC, 0 } };
	*ret = (struct pvp_clr_enum *)&l;
	return 0;
}

static pvp_hr thread_info(void *self, uint64_t thread, uint32_t *ret_native)
{
	(void)self, (void)thread;
	*ret_native = 0;
	return 0;
}

/* Instances have none. */
static pvp_hr static_address(
	void *self, uint64_t type, uint32_t field, uint64_t domain, uint64_t *ret)
{
	(void)self;
	if (type != FAKE_CLASS || domain != FAKE_DOMAIN)
		return PVP_HR_INCOMPLETE;
	if (fake.unready && fake.unready--)
		return PVP_HR_INCOMPLETE;
	if (field == 0x04000003)
		return PVP_HR_ARGUMENT;
	*ret = (uintptr_t)&fake.statics[0];
	return 0;
}

static pvp_hr static_kind(void *self, uint64_t type, uint32_t field, uint32_t *ret)
{
	(void)self, (void)type;
	*ret = field == 0x04000003 ? 2 : 4; /* of each thread, or of a domain */
	return 0;
}

static pvp_hr thread_static_address(
	void *self, uint64_t type, uint32_t field, uint64_t domain, uint64_t thread, uint64_t *ret)
{
	(void)self;
	ck_assert_uint_eq(fake.suspended, 1);
	if (type != FAKE_CLASS || domain != FAKE_DOMAIN || field != 0x04000003 || thread != 0x9000)
		return PVP_HR_ARGUMENT;
	*ret = (uintptr_t)&fake.statics[1];
	return 0;
}

static pvp_hr class_layout(void *self, uint64_t type, struct pvp_clr_field *ret, uint32_t room,
	uint32_t *ret_n, uint32_t *ret_size)
{
	(void)self;
	ck_assert_uint_ge(room, 1);
	*ret_n = type == FAKE_CLASS;
	*ret_size = 16;
	if (*ret_n)
		ret[0] = (struct pvp_clr_field){ 0x04000001, 8 };
	return 0;
}

static pvp_hr string_layout(void *self, uint32_t *ret_length, uint32_t *ret_text)
{
	(void)self;
	*ret_length = 8;
	*ret_text = 12;
	return 0;
}

static pvp_hr box_layout(void *self, uint64_t type, uint32_t *ret_offset)
{
	(void)self;
	bool structure =
		type == FAKE_CLASS_OF_INT || type == FAKE_CLASS_OF_STRING || type == FAKE_INT;
	*ret_offset = structure ? 8 : 77;
	return structure ? 0 : PVP_HR_POINTER;
}

static pvp_hr provider_info(
	void *self, uint64_t provider, uint32_t room, uint32_t *ret_n, pvp_char *name)
{
	static const char *const names[] = { "Microsoft-Windows-DotNETRuntime", "System.Net.Http",
		"Microsoft.Data.SqlClient.EventSource" };
	const char *text = names[provider % PV_COUNT_OF(names)];
	(void)self;
	*ret_n = (uint32_t)strlen(text) + 1;
	ck_assert_uint_ge(room, *ret_n);
	for (uint32_t i = 0; i < *ret_n; i++)
		name[i] = (pvp_char)text[i];
	return 0;
}

static const struct pvp_clr_info_table known = {
	.provider_info = provider_info,
	.class_layout = class_layout,
	.static_address = static_address,
	.static_kind = static_kind,
	.thread_static_address = thread_static_address,
	.box_layout = box_layout,
	.string_layout = string_layout,
	.unknown = { NULL, counted, counted },
	.array_class = array_class,
	.module_info = module_info,
	.module_metadata = module_metadata,
	.domain_info = domain_info,
	.assembly_info = assembly_info,
	.stack = stack,
	.function_info = function_info,
	.class_info = class_info,
	.generation_bounds = generation_bounds,
	.set_event_mask = set_event_mask,
	.dynamic_info = dynamic_info,
	.code_starts = code_starts,
	.code_ranges = code_ranges,
	.il_body = il_body,
	.set_function_mapper = set_function_mapper,
	.set_hooks = set_hooks,
	.class_of_object = class_of_object,
	.suspend = suspend,
	.resume = resume,
	.initialize_thread = initialize_thread,
	.references = references,
	.heap_objects = heap_objects,
	.enum_modules = enum_modules,
	.enum_threads = enum_threads,
	.enum_functions = enum_functions,
	.thread_info = thread_info,
	.object_size_2 = object_size_2,
	.runtime_information = runtime_information,
	.function_of_ip = function_of_ip,
	.function_of_ip_2 = function_of_ip,
	.start_events = start_events,
	.stop_events = stop_events,
	.request_detach = request_detach,
	.force_gc = force_gc,
};

static void missing(void)
{
	ck_abort_msg("a slot was called that this runtime does not have");
}

/* Loads the type or the method that it is asked for. */
static const size_t loading[] = { 4, 8, 43, 44 };

static pvp_hr loads(void)
{
	ck_abort_msg("the runtime was made to load something");
	return 0;
}

/* The last slot of each version from 7 on. */
static const size_t slots[] = { 86, 89, 92, 98, 100, 107, 110, 113, 114 };

static union {
	struct pvp_clr_info_table table;
	pvp_clr_slot slot[115];
} tables;
static struct pvp_clr_info info = { &tables.table };

static pvp_hr query(void *self, const struct pvp_guid *iid, void **ret)
{
	static const uint32_t first[] = { 0x9aeecc0d, 0xc5ac80a6, 0x008170db, 0x2f1b5152,
		0x06398876, 0x27b24ccd, 0x6e6c7ee2, 0xf460e352, 0xb446462d };
	(void)self;
	*ret = NULL;
	for (int i = 0; i < (int)PV_COUNT_OF(first); i++) {
		if (iid->a != first[i] || i + 7 > fake.version)
			continue;
		memcpy(&tables.table, &known, sizeof tables);
		for (size_t k = 0; k < PV_COUNT_OF(tables.slot); k++)
			if (!tables.slot[k] || k > slots[i])
				tables.slot[k] = missing;
		for (size_t k = 0; k < PV_COUNT_OF(loading); k++)
			tables.slot[loading[k]] = (pvp_clr_slot)loads;
		*ret = &info;
		return 0;
	}
	return PVP_HR_NO_INTERFACE;
}

struct pvp_clr_unknown *fake_runtime(void)
{
	static const struct pvp_clr_unknown_table table = { query, counted, counted };
	static struct pvp_clr_unknown runtime = { &table };
	return &runtime;
}

struct fake_profiler *fake_load(void)
{
	static const uint8_t guid[16] = PV_CORECLR_GUID_BYTES;
	static const struct pvp_guid factory_iid = { 1, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
	static const struct pvp_guid iid = { 0x8a8cc829, 0xccf2, 0x49fe,
		{ 0xbb, 0xae, 0x0f, 0x02, 0x22, 0x28, 0x07, 0x1a } };
	struct {
		pvp_hr (*const *is)(
			void *self, void *outer, const struct pvp_guid *iid, void **ret);
	} *factory = NULL;
	struct pvp_guid class;
	void *profiler = NULL;
	memcpy(&class, guid, sizeof class);
	ck_assert_int_eq(DllGetClassObject(&class, &factory_iid, (void **)&factory), 0);
	ck_assert_int_eq(factory->is[3](factory, NULL, &iid, &profiler), 0);
	ck_assert_ptr_nonnull(profiler);
	return profiler;
}

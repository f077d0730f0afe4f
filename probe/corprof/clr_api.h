/* SPDX-License-Identifier: MIT */
/*
 * The part of the .NET profiling and metadata interfaces used here, as tables of functions: slots
 * and arguments are facts of the published definitions. Each version's table is a prefix of the
 * next; functions missing in a runtime must not be called.
 */
#ifndef PV_PROBE_CLR_API_H
#define PV_PROBE_CLR_API_H

#include "probe/corprof/clr_types.h"

struct pvp_clr_info {
	const struct pvp_clr_info_table *is;
};

/* Texts are UTF-16 with a final 0, included in lengths. */
struct pvp_clr_info_table {
	struct pvp_clr_unknown_table unknown;
	pvp_hr (*class_of_object)(void *self, uint64_t object, uint64_t *ret);
	pvp_clr_slot skip_4[6]; /* 4 and 8 load classes: see clr_classes.h */
	pvp_hr (*object_size)(void *self, uint64_t object, uint32_t *ret);
	pvp_hr (*array_class)(void *self, uint64_t type, uint32_t *ret_element, uint64_t *ret_base,
		uint32_t *ret_rank);
	pvp_hr (*thread_info)(void *self, uint64_t thread, uint32_t *ret_native);
	pvp_clr_slot skip_13[7];
	pvp_hr (*module_info)(void *self, uint64_t module, const uint8_t **ret_base, uint32_t room,
		uint32_t *ret_n, pvp_char *name, uint64_t *ret_assembly);
	pvp_hr (*module_metadata)(void *self, uint64_t module, uint32_t flags,
		const struct pvp_guid *iid, void **ret);
	pvp_hr (*il_body)(void *self, uint64_t module, uint32_t method, const uint8_t **ret,
		uint32_t *ret_size);
	pvp_clr_slot skip_23[2];
	pvp_hr (*domain_info)(void *self, uint64_t domain, uint32_t room, uint32_t *ret_n,
		pvp_char *name, uint64_t *ret_process);
	pvp_hr (*assembly_info)(void *self, uint64_t assembly, uint32_t room, uint32_t *ret_n,
		pvp_char *name, uint64_t *ret_domain, uint64_t *ret_module);
	pvp_clr_slot skip_27;
	pvp_hr (*force_gc)(void *self);
	pvp_clr_slot skip_29[7];
	pvp_hr (*stack)(void *self, uint64_t thread, pvp_clr_frame *frame, uint32_t flags,
		void *ctx, uint8_t *context, uint32_t context_size);
	pvp_clr_slot skip_37;
	pvp_hr (*function_info)(void *self, uint64_t function, uint64_t frame, uint64_t *ret_class,
		uint64_t *ret_module, uint32_t *ret_token, uint32_t room, uint32_t *ret_n,
		uint64_t *types);
	pvp_clr_slot skip_39;
	pvp_hr (*class_layout)(void *self, uint64_t type, struct pvp_clr_field *ret, uint32_t room,
		uint32_t *ret_n, uint32_t *ret_size);
	pvp_hr (*class_info)(void *self, uint64_t type, uint64_t *ret_module, uint32_t *ret_token,
		uint64_t *ret_parent, uint32_t room, uint32_t *ret_n, uint64_t *types);
	pvp_clr_slot skip_42[5]; /* 43 and 44 load, too */
	pvp_hr (*box_layout)(void *self, uint64_t type, uint32_t *ret_offset);
	pvp_clr_slot skip_48[2];
	/* The slot; not of a class whose statics are not set up. Loads nothing. */
	pvp_hr (*static_address)(
		void *self, uint64_t type, uint32_t field, uint64_t domain, uint64_t *ret);
	pvp_clr_slot skip_51[2];
	pvp_hr (*static_kind)(void *self, uint64_t type, uint32_t field, uint32_t *ret);
	pvp_hr (*generation_bounds)(
		void *self, uint32_t room, uint32_t *ret_n, struct pvp_clr_range *ret);
	pvp_hr (*object_generation)(void *self, uint64_t object, struct pvp_clr_range *ret);
	pvp_clr_slot skip_56[2];
	pvp_hr (*request_detach)(void *self, uint32_t ms);
	pvp_hr (*set_function_mapper)(void *self,
		uint64_t (*map)(uint64_t function, void *ctx, int32_t *ret_hook), void *ctx);
	pvp_hr (*string_layout)(void *self, uint32_t *ret_length, uint32_t *ret_text);
	pvp_hr (*set_hooks)(
		void *self, void (*enter)(void), void (*leave)(void), void (*tail_call)(void));
	pvp_clr_slot skip_62[4];
	pvp_hr (*enum_modules)(void *self, struct pvp_clr_enum **ret);
	pvp_hr (*runtime_information)(void *self, uint16_t *ret_instance, uint32_t *ret_type,
		uint16_t *ret_major, uint16_t *ret_minor, uint16_t *ret_build, uint16_t *ret_qfe,
		uint32_t room, uint32_t *ret_n, pvp_char *text);
	/* As static_address, of a thread, without a lock: also while all stand. */
	pvp_hr (*thread_static_address)(void *self, uint64_t type, uint32_t field, uint64_t domain,
		uint64_t thread, uint64_t *ret);
	pvp_clr_slot skip_69[2];
	pvp_hr (*enum_threads)(void *self, struct pvp_clr_enum **ret); /* from the 4th on */
	pvp_hr (*initialize_thread)(void *self);
	pvp_clr_slot skip_73[3];
	pvp_hr (*function_of_ip_2)(void *self, uint64_t ip, uint64_t *ret, uint64_t *ret_rejit);
	pvp_clr_slot skip_77[2];
	pvp_hr (*enum_functions)(void *self, struct pvp_clr_enum **ret);
	pvp_hr (*object_size_2)(void *self, uint64_t object, uint64_t *ret);
	pvp_clr_slot skip_81;
	pvp_hr (*set_event_mask)(void *self, uint32_t low, uint32_t high); /* from the 5th on */
	pvp_clr_slot skip_83[5];
	pvp_hr (*function_of_ip)(
		void *self, uint64_t ip, uint64_t *ret, uint64_t *ret_rejit); /* 8 */
	pvp_hr (*dynamic_info)(void *self, uint64_t function, uint64_t *ret_module,
		const uint8_t **ret_sig, uint32_t *ret_sig_n, uint32_t room, uint32_t *ret_n,
		pvp_char *name);
	pvp_hr (*code_starts)(void *self, uint64_t function, uint64_t rejit, uint32_t room,
		uint32_t *ret_n, uint64_t *ret); /* from the 9th on */
	pvp_hr (*il_map)(void *self, uint64_t start, uint32_t room, uint32_t *ret_n,
		struct pvp_clr_il_range *ret);
	pvp_hr (*code_ranges)(void *self, uint64_t start, uint32_t room, uint32_t *ret_n,
		struct pvp_clr_code *ret);
	pvp_hr (*references)(void *self, uint64_t object, pvp_clr_reference *met,
		void *ctx); /* from the 10th on */
	pvp_clr_slot skip_94[3];
	pvp_hr (*suspend)(void *self);
	pvp_hr (*resume)(void *self);
	pvp_hr (*get_environment)(void *self, const pvp_char *name, uint32_t room, uint32_t *ret_n,
		pvp_char *value); /* from the 11th on */
	pvp_clr_slot skip_100;
	pvp_hr (*start_events)(void *self, uint32_t n, struct pvp_clr_provider *providers,
		int32_t rundown, uint64_t *ret_session); /* from the 12th on */
	pvp_clr_slot skip_102;
	pvp_hr (*stop_events)(void *self, uint64_t session);
	pvp_clr_slot skip_104;
	pvp_hr (*provider_info)(
		void *self, uint64_t provider, uint32_t room, uint32_t *ret_n, pvp_char *name);
	pvp_clr_slot skip_106[8];
	pvp_hr (*heap_objects)(void *self, pvp_clr_object *met, void *ctx); /* the 15th */
};

struct pvp_clr_metadata {
	const struct pvp_clr_metadata_table *is;
};

struct pvp_clr_metadata_table {
	struct pvp_clr_unknown_table unknown;
	void (*close_enum)(void *self, void *list);
	pvp_clr_slot skip_4[5];
	pvp_hr (*find_type)(void *self, const pvp_char *name, uint32_t around, uint32_t *ret);
	pvp_hr (*scope)(void *self, pvp_char *name, uint32_t room, uint32_t *ret_n,
		struct pvp_guid *ret_mvid);
	pvp_clr_slot skip_11;
	pvp_hr (*type)(void *self, uint32_t token, pvp_char *name, uint32_t room, uint32_t *ret_n,
		uint32_t *ret_flags, uint32_t *ret_extends);
	pvp_clr_slot skip_13;
	pvp_hr (*type_ref)(void *self, uint32_t token, uint32_t *ret_scope, pvp_char *name,
		uint32_t room, uint32_t *ret_n);
	pvp_clr_slot skip_15[5];
	pvp_hr (*enum_fields)(void *self, void **list, uint32_t type, uint32_t *ret, uint32_t room,
		uint32_t *ret_n);
	pvp_clr_slot skip_21[9];
	pvp_hr (*method)(void *self, uint32_t token, uint32_t *ret_type, pvp_char *name,
		uint32_t room, uint32_t *ret_n, uint32_t *ret_attributes, const uint8_t **ret_sig,
		uint32_t *ret_sig_n, uint32_t *ret_rva, uint32_t *ret_flags);
	pvp_clr_slot skip_31[26];
	pvp_hr (*field)(void *self, uint32_t token, uint32_t *ret_type, pvp_char *name,
		uint32_t room, uint32_t *ret_n, uint32_t *ret_attributes, const uint8_t **ret_sig,
		uint32_t *ret_sig_n, uint32_t *ret_kind, const void **ret_value,
		uint32_t *ret_value_n);
	pvp_clr_slot skip_58[4];
	pvp_hr (*nested)(void *self, uint32_t token, uint32_t *ret_around);
};

#endif

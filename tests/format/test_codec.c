/*
 * Every row of mlpd.def against bytes written by hand from the format's description (bases below),
 * its round trip through the encoder, every prefix of it, and its end at an unreadable page.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/format/mlpd/mlpd.h"
#include "tests/kit/event_text.h"
#include "tests/kit/suite.h"

/* clang-format off */
static const struct mlpd_buffer_header bases_header = { .time_base = 1000, .ptr_base = 0x1000,
	.obj_base = 0x200, .method_base = 0x5000 };

struct vector {
	uint8_t version;
	const char *hex;  /* the event as it stands in a log */
	const char *text; /* what it says */
};

/* obj +1 is address 0x1008; ptr 7f is -1: 0xfff; meth 10 is 0x5010. */
static const struct vector vectors[] = {
	{ 17, "00 05 10 01 18", "ALLOC t=1005 type=1010 object=1008 size=18" },
	{ 17, "10 05 10 01 18 02 10 7f",
		"ALLOC_BT t=1005 type=1010 object=1008 size=18 stack=[5010 500f]" },
	{ 12, "10 05 10 01 18 00 02 10 7f",
		"ALLOC_BT t=1005 type=1010 object=1008 size=18 stack=[1010 fff]" },
	{ 17, "11 01 05 01", "GC_EVENT t=1001 step=5 generation=1" },
	{ 12, "11 01 85 00 01", "GC_EVENT t=1001 step=5 generation=1" },
	{ 17, "21 01 80 80 40", "GC_RESIZE t=1001 bytes=100000" },
	{ 10, "21 01 80 80 80 80 f8 ff ff ff ff 01", "GC_RESIZE t=1001 bytes=80000000" },
	{ 17, "31 01 04 00 01 02 7f", "GC_MOVE t=1001 pairs=[1000 1008 1010 ff8]" },
	{ 17, "41 01 02 09 01", "HANDLE_NEW t=1001 type=2 handle=9 object=1008" },
	{ 17, "41 01 02 81 80 80 80 f8 ff ff ff ff 01 01",
		"HANDLE_NEW t=1001 type=2 handle=80000001 object=1008" },
	{ 17, "51 01 03 09", "HANDLE_GONE t=1001 type=3 handle=9" },
	{ 17, "61 01 02 09 01 01 00", "HANDLE_NEW_BT t=1001 type=2 handle=9 object=1008 stack=[5000]" },
	{ 17, "71 01 03 09 01 00", "HANDLE_GONE_BT t=1001 type=3 handle=9 stack=[5000]" },
	{ 17, "81 02", "FINALIZE_START t=1002" },
	{ 17, "91 02", "FINALIZE_END t=1002" },
	{ 17, "a1 02 01", "FINALIZE_OBJECT_START t=1002 object=1008" },
	{ 17, "b1 02 01", "FINALIZE_OBJECT_END t=1002 object=1008" },
	{ 17, "02 01 04 01 61 00", "DOMAIN_NAME t=1001 key=1001 name=\"a\"" },
	{ 17, "02 01 05 01 77 31 00", "THREAD_NAME t=1001 key=1001 name=\"w1\"" },
	{ 4, "02 01 05 01 00 77 31 00", "THREAD_NAME t=1001 key=1001 name=\"w1\"" },
	{ 17, "22 01 01 01 02 43 00", "CLASS_LOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 4, "22 01 01 01 02 00 43 00", "CLASS_LOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 17, "22 01 02 01 69 00 6d 00", "IMAGE_LOAD t=1001 key=1001 name=\"i\" mvid=\"m\"" },
	{ 15, "22 01 02 01 69 00", "IMAGE_LOAD t=1001 key=1001 name=\"i\"" },
	{ 17, "22 01 03 01 02 41 00", "ASSEMBLY_LOAD t=1001 key=1001 image=1002 name=\"A\"" },
	{ 13, "22 01 03 01 41 00", "ASSEMBLY_LOAD t=1001 key=1001 name=\"A\"" },
	{ 17, "22 01 04 01", "DOMAIN_LOAD t=1001 key=1001" },
	{ 17, "22 01 05 01", "THREAD_START t=1001 key=1001" },
	{ 17, "22 01 06 01 02", "CONTEXT_LOAD t=1001 key=1001 domain=1002" },
	{ 17, "22 01 07 01 02 03", "VTABLE_LOAD t=1001 key=1001 domain=1002 owner=1003" },
	{ 17, "42 01 02 01 69 00", "IMAGE_UNLOAD t=1001 key=1001 name=\"i\"" },
	{ 17, "42 01 03 01 02 41 00", "ASSEMBLY_UNLOAD t=1001 key=1001 image=1002 name=\"A\"" },
	{ 17, "42 01 04 01", "DOMAIN_UNLOAD t=1001 key=1001" },
	{ 17, "42 01 05 01", "THREAD_END t=1001 key=1001" },
	{ 17, "42 01 06 01 02", "CONTEXT_UNLOAD t=1001 key=1001 domain=1002" },
	{ 17, "13 81 01 c0 00", "LEAVE t=1129 method=5040" },
	{ 17, "23 01 40", "ENTER t=1001 method=4fc0" },
	{ 17, "33 01 00", "EXC_LEAVE t=1001 method=5000" },
	{ 17, "43 01 00 10 20 4d 00", "JIT t=1001 method=5000 code=1010 size=20 name=\"M\"" },
	{ 17, "23 ff ff ff ff ff ff ff ff ff 01 00", "ENTER t=999 method=5000" },
	{ 17, "04 01 01", "THROW t=1001 object=1008" },
	{ 17, "14 01 02 03 10 01", "CLAUSE t=1001 type=2 index=3 method=5010 object=1008" },
	{ 12, "14 01 82 00 03 10", "CLAUSE t=1001 type=2 index=3 method=5010" },
	{ 17, "84 01 01 01 10", "THROW_BT t=1001 object=1008 stack=[5010]" },
	{ 17, "05 01 01 01", "CONTENTION t=1001 object=1008" },
	{ 17, "05 01 02 01", "DONE t=1001 object=1008" },
	{ 17, "05 01 03 01", "FAIL t=1001 object=1008" },
	{ 17, "05 01 09 01", "MONITOR_OTHER t=1001 type=9 object=1008" },
	{ 17, "85 01 01 01 01 10", "CONTENTION_BT t=1001 object=1008 stack=[5010]" },
	{ 17, "85 01 02 01 01 10", "DONE_BT t=1001 object=1008 stack=[5010]" },
	{ 17, "85 01 03 01 01 10", "FAIL_BT t=1001 object=1008 stack=[5010]" },
	{ 17, "85 01 09 01 01 10", "MONITOR_OTHER_BT t=1001 type=9 object=1008 stack=[5010]" },
	{ 12, "15 01 01", "CONTENTION_13 t=1001 object=1008" },
	{ 12, "95 01 01 00 01 10", "CONTENTION_13_BT t=1001 object=1008 stack=[1010]" },
	{ 12, "25 01 01", "DONE_13 t=1001 object=1008" },
	{ 12, "05 01 01", "MONITOR_OTHER_13 t=1001 object=1008" },
	{ 13, "85 01 01 01 10", "MONITOR_OTHER_13_BT t=1001 object=1008 stack=[5010]" },
	{ 13, "a5 01 01 01 10", "DONE_13_BT t=1001 object=1008 stack=[5010]" },
	{ 13, "35 01 01", "FAIL_13 t=1001 object=1008" },
	{ 13, "b5 01 01 01 10", "FAIL_13_BT t=1001 object=1008 stack=[5010]" },
	{ 17, "06 01", "SHOT_START t=1001" },
	{ 17, "16 01", "SHOT_END t=1001" },
	{ 17, "26 01 01 10 20 01 02 10 02 08 03",
		"HEAP_OBJECT t=1001 object=1008 type=1010 size=20 generation=1 refs=[10 1010 18 1018]" },
	{ 4, "26 01 10 20 01 10 02", "HEAP_OBJECT t=1000 object=1008 type=1010 size=20 refs=[10 1010]" },
	{ 1, "26 01 10 20 01 02", "HEAP_OBJECT t=1000 object=1008 type=1010 size=20 refs=[0 1010]" },
	{ 4, "36 01 07 01 82 02 05", "OLD_ROOTS t=1000 roots=[1008 102 5]" },
	{ 13, "36 01 01 07 01 02 05", "OLD_ROOTS t=1001 roots=[1008 2 5]" },
	{ 17, "36 01 02 00 01 08 02", "ROOTS t=1001 roots=[1000 1008 1008 1010]" },
	{ 17, "46 8c 14 00 08 08 80 60 54 00",
		"ROOT_ADD t=3572 start=1000 size=8 source=8 key=0 name=\"T\"" },
	{ 17, "56 01 00", "ROOT_GONE t=1001 start=1000" },
	{ 17, "07 01 02 01 03 02 10 10", "HIT t=1001 thread=1002 ips=[1003] frames=[5010 5020]" },
	{ 13, "07 01 01 02 01 03 01 10", "HIT t=1001 type=1 thread=1002 ips=[1003] frames=[5010]" },
	{ 12, "07 01 ff 07 02 01 03 01 10 00 04",
		"HIT t=1000 type=1 timestamp=3ff thread=1002 ips=[1003] frames=[5010]" },
	{ 6, "07 01 09 01 03 01 10 00 04", "HIT t=1000 type=1 timestamp=9 ips=[1003] frames=[5010]" },
	{ 4, "07 01 09 01 03", "HIT t=1000 type=1 timestamp=9 ips=[1003]" },
	{ 17, "17 01 10 20 73 00", "SYMBOL t=1001 address=1010 size=20 name=\"s\"" },
	{ 4, "17 10 20 73 00", "SYMBOL t=1000 address=1010 size=20 name=\"s\"" },
	{ 15, "27 01 10 04 20 62 00", "BINARY t=1001 address=1010 file_offset=4 size=20 name=\"b\"" },
	{ 13, "27 01 90 20 04 20 62 00", "BINARY t=1001 address=1010 file_offset=4 size=20 name=\"b\"" },
	{ 17, "37 01 01 80 02 67 00 03 80 80 80 08 80 80 80 80 01 01",
		"DESCRIBE t=1001 list=[100//g/3/1000000/10000000/1]" },
	{ 17, "37 01 01 80 80 80 80 f8 ff ff ff ff 01 67 00 03 00 00 02",
		"DESCRIBE t=1001 list=[80000000//g/3/0/0/2]" },
	{ 17, "37 01 01 80 80 02 43 00 67 00 03 00 00 02", "DESCRIBE t=1001 list=[8000/C/g/3/0/0/2]" },
	{ 13, "37 01 01 80 02 67 00 03 00 00 01", "DESCRIBE t=1001 list=[100//g/3/0/0/1]" },
	{ 6, "37 01 80 80 02 67 00 03 00 00 02", "DESCRIBE t=1000 list=[8000//g/3/0/0/2]" },
	{ 17, "47 01 01 03 7f 02 01 05 03 05 00 00 00 00 00 00 f0 3f 04 06 01 78 00 05 06 00 00",
		"COUNTERS t=1001 list=[1:3:ffffffffffffffff: 2:1:5: 3:5:3ff0000000000000: 4:6:1:x 5:6:0:]" },
	{ 12, "47 e8 07 01 03 02 00", "COUNTERS t=1000 ms=3e8 list=[1:3:2:]" },
	{ 17, "18 01 05 10 20 6e 00", "HELPER t=1001 type=5 address=1010 size=20 name=\"n\"" },
	{ 17, "18 01 06 10 20", "HELPER t=1001 type=6 address=1010 size=20 name=\"\"" },
	{ 13, "18 01 06 10 20 6e 00", "HELPER t=1001 type=6 address=1010 size=20 name=\"n\"" },
	{ 12, "18 01 85 00 10 20", "HELPER t=1001 type=5 address=1010 size=20 name=\"\"" },
	{ 13, "09 01 61 00 67 00 66 00 03 02 00",
		"COVERAGE_ASSEMBLY t=1001 assembly=\"a\" guid=\"g\" file=\"f\" methods=3 full=2 partial=0" },
	{ 12, "19 61 00 63 00 6d 00 73 00 66 00 01 02 03",
		"COVERAGE_METHOD t=1000 assembly=\"a\" class_name=\"c\" method=\"m\" signature=\"s\" "
		"file=\"f\" token=1 method_id=2 statements=3" },
	{ 13, "29 01 02 05 07 0a 04",
		"COVERAGE_STATEMENT t=1001 method_id=2 il=5 hits=7 line=a column=4" },
	{ 13, "39 01 61 00 63 00 03 02 00",
		"COVERAGE_CLASS t=1001 assembly=\"a\" class_name=\"c\" methods=3 full=2 partial=0" },
	{ 17, "0a 01 02", "SYNC t=1001 type=2" },
	{ 17, "1a 01 69 00", "AOT_ID t=1001 id=\"i\"" },
	{ 17, "2f 01 04 01 68 69 00", "EXT_MARK t=1001 text=\"hi\"" },
	{ 17, "0f 00 08 01 00 10 03 e8 07 64 01",
		"EXT_TREE_CALL t=1000 back=0 method=1010 calls=3 self_ns=3e8 max_ns=64 exc_leaves=1" },
	{ 17, "0f 00 04 02 ac 02 07", "EXT_TREE_CPU t=1000 user_ns=12c kernel_ns=7" },
	{ 17, "1f 00 04 01 ac 02 07", "EXT_CPU t=1000 user_ns=12c kernel_ns=7" },
	{ 17, "5f 01 02 01 01", "EXT_NATIVE_FREE t=1001 value=1008" },
	{ 17, "6f 00 04 01 10 e8 07", "EXT_JIT_TIME t=1000 method=1010 started=3e8" },
	{ 17, "6f 00 06 02 10 e8 07 6d 00",
		"EXT_JIT_FAILED t=1000 method=1010 started=3e8 name=\"m\"" },
	{ 17, "6f 00 05 03 01 10 63 00", "EXT_LOAD_FAILED t=1000 flags=1 key=1010 name=\"c\"" },
	{ 17, "6f 00 0a 04 61 00 67 00 66 00 03 02 00",
		"EXT_COVERED_ASSEMBLY t=1000 assembly=\"a\" guid=\"g\" file=\"f\" methods=3 full=2 partial=0" },
	{ 17, "6f 00 0e 05 61 00 63 00 6d 00 73 00 66 00 01 02 03",
		"EXT_COVERED_METHOD t=1000 assembly=\"a\" class_name=\"c\" method=\"m\" signature=\"s\" "
		"file=\"f\" token=1 method_id=2 statements=3" },
	{ 17, "6f 00 06 06 02 05 07 0a 04",
		"EXT_COVERED_STATEMENT t=1000 method_id=2 il=5 hits=7 line=a column=4" },
	{ 17, "6f 00 08 07 61 00 63 00 03 02 00",
		"EXT_COVERED_CLASS t=1000 assembly=\"a\" class_name=\"c\" methods=3 full=2 partial=0" },
	{ 17, "2f 00 0b 02 e8 07 01 48 00 6e 00 02 10 18",
		"EXT_SPAN t=1000 took_ns=3e8 failed=1 what=\"H\" name=\"n\" stack=[1010 1018]" },
	{ 17, "4f 00 06 01 01 05 61 62 00",
		"EXT_STRING t=1000 object=1008 length=5 text=\"ab\"" },
	{ 17, "4f 01 03 02 01 08", "EXT_CLASS_OF t=1001 object=1008 type=1008" },
	{ 17, "4f 00 06 03 01 05 61 62 00", "EXT_MESSAGE t=1000 object=1008 length=5 text=\"ab\"" },
	{ 17, "6f 00 06 08 01 e8 07 64 00",
		"EXT_SUSPENSION t=1000 reason=1 wait_ns=3e8 stopped_ns=64 failed=0" },
	{ 17, "6f 00 06 09 10 18 20 04 00",
		"EXT_BODY t=1000 method=1010 code=1018 size=20 tier=4 version=0" },
	{ 17, "6f 00 03 0a 10 02", "EXT_CODE_GONE t=1000 method=1010 why=2" },
	{ 17, "6f 00 05 0b 10 01 e8 07", "EXT_TRANSITION t=1000 method=1010 into=1 took_ns=3e8" },
	{ 17, "6f 00 06 0c 02 03 20 01 08",
		"EXT_SURVIVED t=1000 generation=2 ranges=3 bytes=20 moved_ranges=1 moved_bytes=8" },
	{ 17, "6f 00 04 0d 10 63 00", "EXT_CONTEXT_NAME t=1000 key=1010 name=\"c\"" },
	{ 17, "6f 00 03 0e 10 18", "EXT_ASSEMBLY_IN t=1000 key=1010 owner=1018" },
	{ 17, "3f 00 08 01 10 18 00 54 00 6e 00",
		"EXT_FIELD t=1000 owner=1010 offset=18 is_static=0 type=\"T\" name=\"n\"" },
	{ 17, "3f 00 03 02 10 18", "EXT_PARENT t=1000 owner=1010 parent=1018" },
	{ 17, "3f 00 04 03 10 20 18", "EXT_ELEMENTS t=1000 owner=1010 first=20 size=18" },
	{ 17, "7f 00 09 01 10 66 00 04 01 08 06 07",
		"EXT_LINES t=1000 method=1010 file=\"f\" pairs=[1001 1008 1006 1007]" },
	/* What changed from version to version, before and after each step. */
	{ 2, "26 01 10 20 02 10 02 08 03", "HEAP_OBJECT t=1000 object=1008 type=1010 size=20 refs=[10 1010 18 1018]" },
	{ 12, "26 01 10 20 01 10 02", "HEAP_OBJECT t=1000 object=1008 type=1010 size=20 refs=[10 1010]" },
	{ 13, "26 05 01 10 20 01 10 02", "HEAP_OBJECT t=1005 object=1008 type=1010 size=20 refs=[10 1010]" },
	{ 15, "26 05 01 10 20 01 10 02", "HEAP_OBJECT t=1005 object=1008 type=1010 size=20 refs=[10 1010]" },
	{ 16, "26 05 01 10 20 01 01 10 02",
		"HEAP_OBJECT t=1005 object=1008 type=1010 size=20 generation=1 refs=[10 1010]" },
	{ 3, "36 01 07 01 82 02 05", "OLD_ROOTS t=1000 roots=[1008 102 5]" },
	{ 14, "36 01 01 07 01 82 02 05", "OLD_ROOTS t=1001 roots=[1008 102 5]" },
	{ 15, "36 01 01 00 01", "ROOTS t=1001 roots=[1000 1008]" },
	{ 5, "07 01 09 01 03", "HIT t=1000 type=1 timestamp=9 ips=[1003]" },
	{ 10, "07 01 09 01 03 01 10 7f 04", "HIT t=1000 type=1 timestamp=9 ips=[1003] frames=[5010]" },
	{ 11, "07 01 09 02 01 03 02 10 00 04 10 00 08",
		"HIT t=1000 type=1 timestamp=9 thread=1002 ips=[1003] frames=[5010 5020]" },
	{ 14, "07 01 02 01 03 01 10", "HIT t=1001 thread=1002 ips=[1003] frames=[5010]" },
	{ 12, "17 10 20 73 00", "SYMBOL t=1000 address=1010 size=20 name=\"s\"" },
	{ 13, "17 01 10 20 73 00", "SYMBOL t=1001 address=1010 size=20 name=\"s\"" },
	{ 4, "27 01 90 20 04 20 62 00", "BINARY t=1001 address=1010 file_offset=4 size=20 name=\"b\"" },
	{ 14, "27 01 10 04 20 62 00", "BINARY t=1001 address=1010 file_offset=4 size=20 name=\"b\"" },
	{ 5, "37 01 80 02 67 00 03 80 80 80 08 80 80 80 80 01 01",
		"DESCRIBE t=1000 list=[100//g/3/1000000/10000000/1]" },
	{ 7, "37 01 80 80 02 43 00 67 00 03 00 00 02", "DESCRIBE t=1000 list=[8000/C/g/3/0/0/2]" },
	{ 12, "37 01 80 80 02 43 00 67 00 03 00 00 02", "DESCRIBE t=1000 list=[8000/C/g/3/0/0/2]" },
	{ 14, "37 01 01 80 02 67 00 83 00 00 01", "DESCRIBE t=1001 list=[100//g/83/0/0/1]" },
	{ 15, "37 01 01 80 02 67 00 83 00 00 00 01", "DESCRIBE t=1001 list=[100//g/3/0/0/1]" },
	{ 5, "47 e8 07 01 83 00 02 00", "COUNTERS t=1000 ms=3e8 list=[1:3:2:]" },
	{ 13, "47 05 01 03 02 00", "COUNTERS t=1005 list=[1:3:2:]" },
	{ 14, "47 05 01 03 02 02 04 81 01 00", "COUNTERS t=1005 list=[1:3:2: 2:4:81:]" },
	{ 15, "47 05 01 83 00 02 00", "COUNTERS t=1005 list=[1:3:2:]" },
	{ 8, "18 01 06 10 20 6e 00", "HELPER t=1001 type=6 address=1010 size=20 name=\"n\"" },
	{ 9, "18 01 8a 00 10 20", "HELPER t=1001 type=a address=1010 size=20 name=\"\"" },
	{ 14, "18 01 05 10 20 6e 00", "HELPER t=1001 type=5 address=1010 size=20 name=\"n\"" },
	{ 10, "09 61 00 67 00 66 00 03 02 00",
		"COVERAGE_ASSEMBLY t=1000 assembly=\"a\" guid=\"g\" file=\"f\" methods=3 full=2 partial=0" },
	{ 15, "19 05 61 00 63 00 6d 00 73 00 66 00 01 02 03",
		"COVERAGE_METHOD t=1005 assembly=\"a\" class_name=\"c\" method=\"m\" signature=\"s\" "
		"file=\"f\" token=1 method_id=2 statements=3" },
	{ 12, "29 02 05 07 0a 04",
		"COVERAGE_STATEMENT t=1000 method_id=2 il=5 hits=7 line=a column=4" },
	{ 12, "39 61 00 63 00 03 02 00",
		"COVERAGE_CLASS t=1000 assembly=\"a\" class_name=\"c\" methods=3 full=2 partial=0" },
	{ 13, "11 01 05 01", "GC_EVENT t=1001 step=5 generation=1" },
	{ 1, "41 01 02 09 01", "HANDLE_NEW t=1001 type=2 handle=9 object=1008" },
	{ 11, "61 01 02 09 01 00 01 10",
		"HANDLE_NEW_BT t=1001 type=2 handle=9 object=1008 stack=[1010]" },
	{ 12, "71 01 03 09 00 01 10", "HANDLE_GONE_BT t=1001 type=3 handle=9 stack=[1010]" },
	{ 13, "71 01 03 09 01 10", "HANDLE_GONE_BT t=1001 type=3 handle=9 stack=[5010]" },
	{ 13, "14 01 02 03 10", "CLAUSE t=1001 type=2 index=3 method=5010" },
	{ 14, "14 01 02 03 10 01", "CLAUSE t=1001 type=2 index=3 method=5010 object=1008" },
	{ 1, "84 01 01 00 01 10", "THROW_BT t=1001 object=1008 stack=[1010]" },
	{ 13, "84 01 01 01 10", "THROW_BT t=1001 object=1008 stack=[5010]" },
	{ 1, "95 01 01 00 00", "CONTENTION_13_BT t=1001 object=1008 stack=[]" },
	{ 14, "85 01 01 01 01 10", "CONTENTION_BT t=1001 object=1008 stack=[5010]" },
	{ 11, "02 01 04 01 00 61 00", "DOMAIN_NAME t=1001 key=1001 name=\"a\"" },
	{ 12, "02 01 05 01 00 77 31 00", "THREAD_NAME t=1001 key=1001 name=\"w1\"" },
	{ 13, "02 01 05 01 77 31 00", "THREAD_NAME t=1001 key=1001 name=\"w1\"" },
	{ 11, "22 01 01 01 02 00 43 00", "CLASS_LOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 13, "22 01 01 01 02 43 00", "CLASS_LOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 12, "22 01 02 01 00 69 00", "IMAGE_LOAD t=1001 key=1001 name=\"i\"" },
	{ 16, "22 01 02 01 69 00 00", "IMAGE_LOAD t=1001 key=1001 name=\"i\" mvid=\"\"" },
	{ 11, "22 01 03 01 00 41 00", "ASSEMBLY_LOAD t=1001 key=1001 name=\"A\"" },
	{ 14, "22 01 03 01 02 41 00", "ASSEMBLY_LOAD t=1001 key=1001 image=1002 name=\"A\"" },
	{ 11, "22 01 04 01 00", "DOMAIN_LOAD t=1001 key=1001" },
	{ 11, "22 01 05 01 00", "THREAD_START t=1001 key=1001" },
	{ 12, "22 01 06 01 00 02", "CONTEXT_LOAD t=1001 key=1001 domain=1002" },
	{ 15, "22 01 07 01 02 03", "VTABLE_LOAD t=1001 key=1001 domain=1002 owner=1003" },
	{ 12, "42 01 02 01 00 69 00", "IMAGE_UNLOAD t=1001 key=1001 name=\"i\"" },
	{ 12, "42 01 03 01 00 41 00", "ASSEMBLY_UNLOAD t=1001 key=1001 name=\"A\"" },
	{ 11, "42 01 04 01 00", "DOMAIN_UNLOAD t=1001 key=1001" },
	{ 11, "42 01 05 01 00", "THREAD_END t=1001 key=1001" },
	{ 11, "42 01 06 01 00 02", "CONTEXT_UNLOAD t=1001 key=1001 domain=1002" },
	{ 12, "42 01 01 01 02 00 43 00", "CLASS_UNLOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 13, "42 01 01 01 02 43 00", "CLASS_UNLOAD t=1001 key=1001 image=1002 name=\"C\"" },
	/* Before 11 the high nibble of METADATA says nothing, except that a load failed. */
	{ 10, "22 01 01 01 02 00 43 00", "CLASS_LOAD t=1001 key=1001 image=1002 name=\"C\"" },
	{ 10, "42 01 01 01 02 00 43 00", "CLASS_10 t=1001 key=1001 image=1002 name=\"C\"" },
	{ 4, "12 01 02 01 00 69 00", "IMAGE_10 t=1001 key=1001 name=\"i\"" },
	{ 10, "22 01 05 01 00 77 31 00", "THREAD_10 t=1001 key=1001 name=\"w1\"" },
	{ 1, "22 01 03 01", "ASSEMBLY_10 t=1001 key=1001" },
	{ 10, "02 01 04 01", "DOMAIN_10 t=1001 key=1001" },
	{ 8, "82 01 01 01 02 00 43 00", "CLASS_FAILED t=1001 key=1001 image=1002 name=\"C\" failed=1" },
	{ 8, "a2 01 02 01 00 69 00", "IMAGE_FAILED t=1001 key=1001 name=\"i\" failed=1" },
	{ 8, "82 01 05 01 00 77 00", "THREAD_FAILED t=1001 key=1001 name=\"w\" failed=1" },
	{ 8, "82 01 03 01", "ASSEMBLY_10 t=1001 key=1001 failed=1" },
	{ 8, "82 01 04 01", "DOMAIN_10 t=1001 key=1001 failed=1" },
};
/* clang-format on */

static size_t from_hex(const char *hex, uint8_t *to)
{
	size_t n = 0;
	unsigned byte;
	for (int used; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		to[n++] = (uint8_t)byte;
	return n;
}

static struct mlpd_format format_of(uint8_t version)
{
	return (struct mlpd_format){ version, version >= 16 ? 3 : 0, 8, 0 };
}

static enum mlpd_status decode(const uint8_t *at, size_t n, uint8_t version, struct pv_batch *pools,
	struct pv_event *e, size_t *ret_used)
{
	struct pv_cursor c = { .at = at, .end = at + n };
	struct mlpd_bases b;
	struct mlpd_format f = format_of(version);
	mlpd_bases_init(&b, &bases_header);
	enum mlpd_status s = mlpd_decode(&c, &b, &f, pools, e);
	*ret_used = (size_t)(c.at - at);
	return s;
}

START_TEST(bytes_written_by_hand_say_what_the_format_says)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes), used;
	struct pv_batch pools = { 0 };
	struct pv_event e;
	char text[512];
	ck_assert_msg(decode(bytes, n, v->version, &pools, &e, &used) == MLPD_OK, "%s", v->text);
	ck_assert_uint_eq(used, n);
	event_text(text, sizeof text, &e, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	pv_batch_finish(&pools);
}
END_TEST

/* Everything above fits into 32 bits, so that a 32-bit program's log holds the same bytes. */
START_TEST(the_same_bytes_of_a_32_bit_program_say_the_same)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes);
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	struct pv_batch pools = { 0 };
	struct mlpd_format f = format_of(v->version);
	struct mlpd_bases b;
	struct pv_event e;
	char text[512];
	f.pointer_size = 4;
	mlpd_bases_init(&b, &bases_header);
	ck_assert_msg(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK, "%s", v->text);
	ck_assert(c.at == c.end);
	event_text(text, sizeof text, &e, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	pv_batch_finish(&pools);
}
END_TEST

/* Bases and values at both ends of the address space: differences of 32 bits, signed. */
START_TEST(differences_of_a_32_bit_program_wrap)
{
	static const struct mlpd_buffer_header h = {
		.ptr_base = 0xfffff000, .obj_base = 0x1ffffff0, .method_base = 0xfffffff0
	};
	/* type +0x2000, object +0x20 in units of 8, method +0x20 */
	const uint8_t bytes[] = { 0x10, 1, 0x80, 0xc0, 0x00, 0x20, 8, 1, 0x20 };
	struct pv_cursor c = { .at = bytes, .end = bytes + sizeof bytes };
	struct mlpd_format f = { 17, 3, 4, 0 };
	struct pv_batch pools = { 0 };
	struct mlpd_bases b, from;
	struct pv_event e;
	uint8_t again[128];
	mlpd_bases_init(&b, &h);
	from = b;
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, 0x1000);
	ck_assert_uint_eq(e.alloc.object, 0x80);
	ck_assert_uint_eq(pools.pool.v[e.alloc.stack.at], 0x10);
	size_t n = mlpd_encode(again, sizeof again, &from, &f, &e, &pools);
	c = (struct pv_cursor){ .at = again, .end = again + n };
	mlpd_bases_init(&b, &h);
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, 0x1000);
	ck_assert_uint_eq(e.alloc.object, 0x80);
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(encoding_gives_an_event_that_decodes_the_same)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64], again[512];
	size_t n = from_hex(v->hex, bytes), used;
	struct pv_batch pools = { 0 };
	struct pv_event e, back;
	struct mlpd_bases b;
	struct mlpd_format f = format_of(v->version);
	char text[512];
	ck_assert(decode(bytes, n, v->version, &pools, &e, &used) == MLPD_OK);
	mlpd_bases_init(&b, &bases_header);
	if (e.kind == PV_KIND_EXT_UNKNOWN || !mlpd_rows[e.row].written ||
		strstr(v->text, "stack=[]")) {
		pv_batch_finish(&pools);
		return; /* what nobody defined is never written */
	}
	size_t max = mlpd_encode_max(&e, &pools);
	ck_assert_uint_le(max, sizeof again);
	ck_assert_uint_eq(mlpd_encode(again, max - 1, &b, &f, &e, &pools), 0);
	size_t m = mlpd_encode(again, max, &b, &f, &e, &pools);
	ck_assert_uint_ge(m, 1);
	ck_assert_uint_le(m, max);
	ck_assert(decode(again, m, v->version, &pools, &back, &used) == MLPD_OK);
	ck_assert_uint_eq(used, m);
	event_text(text, sizeof text, &back, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	/* Writers emit minimal forms: the same bytes, where the vector is minimal too. */
	bool exact = v->version >= 13 || strncmp(v->text, "HIT", 3) == 0;
	if (exact && !strstr(v->hex, "f8 ff ff ff ff 01") && !strstr(v->hex, "83 00"))
		ck_assert_mem_eq(again, bytes, n);
	pv_batch_finish(&pools);
}
END_TEST

/* The event's last byte is the last readable one: a read past it would fault. */
START_TEST(every_prefix_is_short_and_nothing_is_read_past_it)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes), used, page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(map != MAP_FAILED && mprotect(map + page, page, PROT_NONE) == 0);
	struct pv_batch pools = { 0 };
	struct pv_event e;
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *at = map + page - cut;
		memcpy(at, bytes, cut);
		enum mlpd_status s = decode(at, cut, v->version, &pools, &e, &used);
		ck_assert_msg(s == MLPD_SHORT, "%s cut at %zu: %d", v->text, cut, (int)s);
		ck_assert_uint_eq(used, 0);
		ck_assert_uint_eq(pools.pool.n + pools.descs.n + pools.values.n, 0);
	}
	munmap(map, 2 * page);
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(every_row_has_a_vector_in_a_version_it_is_valid_for)
{
	const struct mlpd_row *r = &mlpd_rows[_i];
	size_t len = strlen(r->symbol);
	if (r->layout)
		return; /* of development builds, which have a test of their own */
	for (size_t i = 0; i < PV_COUNT_OF(vectors); i++) {
		const struct vector *v = &vectors[i];
		if (strncmp(v->text, r->symbol, len) == 0 && v->text[len] == ' ' &&
			v->version >= r->since && v->version <= r->until)
			return;
	}
	ck_abort_msg("row %s has no bytes to be tested with", r->symbol);
}
END_TEST

START_TEST(rows_of_one_byte_stand_together)
{
	for (size_t i = 1; i < mlpd_row_count; i++)
		for (size_t j = 0; j + 1 < i; j++)
			ck_assert_msg(mlpd_rows[i].byte != mlpd_rows[j].byte ||
					      mlpd_rows[i - 1].byte == mlpd_rows[i].byte,
				"%s", mlpd_rows[i].symbol);
}
END_TEST

START_TEST(counts_are_bounded_by_the_bytes_left)
{
	static const char *const liars[] = { "31 01 ff ff ff ff 0f 00", "10 05 10 01 18 ff 7f 00",
		"26 01 01 10 20 01 ff ff 03 00 00", "36 01 ff ff ff ff 0f 00 00",
		"07 01 02 ff ff ff 7f 00", "37 01 ff ff ff ff 0f 00", "2f 01 ff ff ff ff 0f 01" };
	struct pv_batch pools = { 0 };
	struct pv_event e;
	for (size_t i = 0; i < PV_COUNT_OF(liars); i++) {
		uint8_t bytes[64];
		size_t n = from_hex(liars[i], bytes), used;
		ck_assert_msg(
			decode(bytes, n, 17, &pools, &e, &used) == MLPD_SHORT, "%s", liars[i]);
		ck_assert_uint_le(pools.pool.room, 64);
	}
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(unknown_bytes_are_bad_and_unknown_extensions_are_skipped)
{
	struct pv_batch pools = { 0 };
	struct pv_event e;
	size_t used;
	ck_assert(decode((const uint8_t *)"\x6e\x01", 2, 17, &pools, &e, &used) == MLPD_BAD);
	ck_assert(decode((const uint8_t *)"\x0b\x01", 2, 17, &pools, &e, &used) == MLPD_BAD);
	const uint8_t later[] = { 0x9f, 3, 2, 0x63, 1 };
	ck_assert(decode(later, sizeof later, 17, &pools, &e, &used) == MLPD_OK);
	ck_assert_uint_eq(used, sizeof later);
	ck_assert_uint_eq(e.kind, PV_KIND_EXT_UNKNOWN);
	ck_assert_uint_eq(e.time, 1003);
	ck_assert_uint_eq(e.ext.family, 9);
	const uint8_t mark_with_more[] = { 0x2f, 1, 6, 1, 'h', 'i', 0, 9, 9 };
	ck_assert(decode(mark_with_more, 9, 17, &pools, &e, &used) == MLPD_OK);
	ck_assert_uint_eq(used, 9);
	ck_assert_uint_eq(e.kind, PV_KIND_EXT_MARK);
	const uint8_t lying_mark[] = { 0x2f, 1, 2, 1, 'h', 'i', 0 };
	ck_assert(decode(lying_mark, 7, 17, &pools, &e, &used) == MLPD_BAD);
	pv_batch_finish(&pools);
}
END_TEST

/* The worked example of a stock Mono 6.8 log. */
START_TEST(header_of_a_real_log)
{
	static const char hex[] =
		"01 5a 50 4d 03 00 11 08 d8 3a 79 fd a1 01 00 00 4b 09 47 32 80 01 "
		"00 00 16 00 00 00 00 00 00 00 78 1e 00 00 3d 96 19 00 00 00 6c 6f 67 3a 2c 6f 75 74 "
		"70 75 74 3d 64 65 66 61 75 6c 74 2e 6d 6c 70 64 00 07 00 00 00 78 38 36 2d 36 34 00 "
		"06 00 00 00 6c 69 6e 75 78 00";
	uint8_t bytes[128], again[128];
	size_t n = from_hex(hex, bytes);
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	struct mlpd_header h;
	struct pv_error e;
	ck_assert_uint_eq(n, 0x58);
	ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_OK && c.at == c.end);
	ck_assert_uint_eq(h.format.data_version, 17);
	ck_assert_uint_eq(h.format.pointer_size, 8);
	ck_assert_uint_eq(h.timer_overhead_ns, 22);
	ck_assert_uint_eq(h.pid, 7800);
	ck_assert_uint_eq(h.port, 38461);
	ck_assert_uint_eq(h.startup_ns, UINT64_C(0x01803247094b));
	ck_assert_str_eq(h.args.at, "log:,output=default.mlpd");
	ck_assert_str_eq(h.arch.at, "x86-64");
	ck_assert_str_eq(h.os.at, "linux");
	ck_assert_uint_eq(mlpd_put_header(again, sizeof again, &h), n);
	ck_assert_mem_eq(again, bytes, n);
	for (size_t cut = 0; cut < n; cut++) {
		c = (struct pv_cursor){ .at = bytes, .end = bytes + cut };
		ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_SHORT);
	}
	bytes[6] = 0;
	c = (struct pv_cursor){ .at = bytes, .end = bytes + n };
	ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_BAD && e.code == PV_EVERSION);
}
END_TEST

START_TEST(pointers_of_a_32_bit_log_wrap_at_32_bits)
{
	const uint8_t bytes[] = { 0x00, 5, 0x7f, 0x7f, 8 };
	struct pv_cursor c = { .at = bytes, .end = bytes + sizeof bytes };
	struct mlpd_bases b = { .time = 0 };
	struct mlpd_format f = { 17, 3, 4, 0 };
	struct pv_batch pools = { 0 };
	struct pv_event e;
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, UINT32_MAX);
	ck_assert_uint_eq(e.alloc.object, UINT32_MAX - 7);
}
END_TEST

/* The fast loop and the rows must say the same of the same bytes. */
START_TEST(fast_loop_equals_the_rows)
{
	static const char hex[] =
		"23 01 10 13 81 01 7f 00 05 10 01 18 33 ff ff ff ff ff ff ff ff ff "
		"01 80 7f 10 05 10 01 18 02 10 7f 23 01 00 0a 01 01 13 05 ff ff 7f";
	struct pv_batch fast = { 0 }, slow = { 0 };
	struct mlpd_format f = format_of(17);
	struct mlpd_bases b, c;
	size_t used;
	uint8_t bytes[128];
	size_t n = from_hex(hex, bytes);
	ck_assert(pv_reserve(&fast.bytes, n));
	memcpy(fast.bytes.v, bytes, n);
	fast.bytes.n = n;
	mlpd_bases_init(&b, &bases_header);
	mlpd_bases_init(&c, &bases_header);
	ck_assert(mlpd_decode_batch(&fast, &b, &f, false, &used) && !fast.damaged);
	ck_assert_uint_eq(used, n);
	struct pv_cursor at = { .at = bytes, .end = bytes + n };
	for (size_t i = 0; i < fast.n; i++) {
		struct pv_event e;
		ck_assert(mlpd_decode(&at, &c, &f, &slow, &e) == MLPD_OK);
		ck_assert_uint_eq(fast.kind[i], e.kind);
		ck_assert_uint_eq(fast.time[i], e.time);
		if (e.kind == PV_KIND_ALLOC)
			ck_assert_uint_eq(fast.allocs.v[fast.key[i]].object, e.alloc.object);
		else if (e.kind != PV_KIND_SYNC_POINT)
			ck_assert_uint_eq(fast.key[i], e.call.method);
	}
	ck_assert(at.at == at.end);
	ck_assert_uint_eq(fast.n, 8);
	for (size_t cut = 0; cut < n; cut++) {
		pv_batch_reset(&fast);
		memcpy(fast.bytes.v, bytes, cut);
		fast.bytes.n = cut;
		mlpd_bases_init(&b, &bases_header);
		ck_assert(mlpd_decode_batch(&fast, &b, &f, true, &used) && !fast.damaged);
		pv_batch_reset(&slow);
		ck_assert_uint_le(used, cut);
	}
	pv_batch_finish(&fast);
	pv_batch_finish(&slow);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("codec");
	TCase *c = tcase_create("rows");
	int n = (int)PV_COUNT_OF(vectors);
	tcase_add_loop_test(c, bytes_written_by_hand_say_what_the_format_says, 0, n);
	tcase_add_loop_test(c, the_same_bytes_of_a_32_bit_program_say_the_same, 0, n);
	tcase_add_test(c, differences_of_a_32_bit_program_wrap);
	tcase_add_loop_test(c, encoding_gives_an_event_that_decodes_the_same, 0, n);
	tcase_add_loop_test(c, every_prefix_is_short_and_nothing_is_read_past_it, 0, n);
	tcase_add_loop_test(
		c, every_row_has_a_vector_in_a_version_it_is_valid_for, 0, (int)mlpd_row_count);
	tcase_add_test(c, rows_of_one_byte_stand_together);
	tcase_add_test(c, counts_are_bounded_by_the_bytes_left);
	tcase_add_test(c, unknown_bytes_are_bad_and_unknown_extensions_are_skipped);
	tcase_add_test(c, header_of_a_real_log);
	tcase_add_test(c, pointers_of_a_32_bit_log_wrap_at_32_bits);
	tcase_add_test(c, fast_loop_equals_the_rows);
	suite_add_tcase(s, c);
	return run_suite(s);
}

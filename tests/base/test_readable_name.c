/* SPDX-License-Identifier: MIT */
/*
 * Names as a C# programmer writes them. The raw names are what the probes logged of programs that
 * have one of each construct: compiled by the SDK 10 and run on .NET 10, compiled by Mono's mcs and
 * by the SDK's compiler and run on Mono.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/readable_name.h"
#include "common/base/text/resumption.h"
#include "tests/kit/suite.h"

static const struct {
	const char *raw, *readable, *canonical;
} methods[] = {
	/* clang-format off */
	/* .NET */
	{ "Shop.OrderPipeline/<TaxAsync>d__4:MoveNext ()",
		"Shop.OrderPipeline.TaxAsync",
		"Shop.OrderPipeline.TaxAsync" },
	{ "Shop.OrderPipeline:TaxAsync (int)",
		"Shop.OrderPipeline.TaxAsync(int)",
		"Shop.OrderPipeline.TaxAsync(int)" },
	{ "Shop.OrderPipeline/<TaxAsync>d__4:.ctor ()",
		"Shop.OrderPipeline.TaxAsync > state machine.new()",
		"Shop.OrderPipeline.TaxAsync > state machine.new()" },
	{ "Shop.OrderPipeline/<Generic>d__9<System.__Canon>:MoveNext ()",
		"Shop.OrderPipeline.Generic<_>",
		"Shop.OrderPipeline.Generic<_>" },
	{ "Shop.OrderPipeline/<Items>d__5:MoveNext ()",
		"Shop.OrderPipeline.Items",
		"Shop.OrderPipeline.Items" },
	{ "Shop.OrderPipeline/<Items>d__5:System.IDisposable.Dispose ()",
		"Shop.OrderPipeline.Items > state machine.IDisposable.Dispose()",
		"Shop.OrderPipeline.Items > state machine.System.IDisposable.Dispose()" },
	{ "Shop.OrderPipeline/<Items>d__5:System.Collections.Generic.IEnumerator<System.Int32>.get_Current ()",
		"Shop.OrderPipeline.Items > state machine.IEnumerator<int>.Current.get",
		"Shop.OrderPipeline.Items > state machine.System.Collections.Generic.IEnumerator<int>.Current.get" },
	{ "Shop.OrderPipeline/<Stream>d__6:MoveNext ()",
		"Shop.OrderPipeline.Stream",
		"Shop.OrderPipeline.Stream" },
	{ "Shop.OrderPipeline/<Shop-IHidden-SecretAsync>d__36:MoveNext ()",
		"Shop.OrderPipeline.IHidden.SecretAsync",
		"Shop.OrderPipeline.Shop.IHidden.SecretAsync" },
	{ "Shop.OrderPipeline:Shop.IHidden.SecretAsync ()",
		"Shop.OrderPipeline.IHidden.SecretAsync()",
		"Shop.OrderPipeline.Shop.IHidden.SecretAsync()" },
	{ "Shop.OrderPipeline:Shop.IHidden.set_SecretProp (int)",
		"Shop.OrderPipeline.IHidden.SecretProp.set",
		"Shop.OrderPipeline.Shop.IHidden.SecretProp.set" },
	{ "Shop.OrderPipeline/<>c:<Lambdas>b__7_0 ()",
		"Shop.OrderPipeline.Lambdas > lambda #0",
		"Shop.OrderPipeline.Lambdas > lambda" },
	{ "Shop.OrderPipeline/<>c__DisplayClass7_0:<Lambdas>b__2 (int)",
		"Shop.OrderPipeline.Lambdas > lambda #2",
		"Shop.OrderPipeline.Lambdas > lambda" },
	{ "Shop.OrderPipeline/<>c__DisplayClass8_1:<Nested>b__1 ()",
		"Shop.OrderPipeline.Nested > lambda #1",
		"Shop.OrderPipeline.Nested > lambda" },
	{ "Shop.OrderPipeline/<>c:<Shop.IHidden.Secret>b__32_0 ()",
		"Shop.OrderPipeline.IHidden.Secret > lambda #0",
		"Shop.OrderPipeline.Shop.IHidden.Secret > lambda" },
	{ "Shop.OrderPipeline/<>c:<.ctor>b__1_0 ()",
		"Shop.OrderPipeline.new > lambda #0",
		"Shop.OrderPipeline.new > lambda" },
	{ "Shop.OrderPipeline/<>c:<.cctor>b__42_0 ()",
		"Shop.OrderPipeline.static constructor > lambda #0",
		"Shop.OrderPipeline.static constructor > lambda" },
	{ "Shop.OrderPipeline/<>c:<Query>b__41_1 (<>f__AnonymousType1<int,int>)",
		"Shop.OrderPipeline.Query > lambda #1",
		"Shop.OrderPipeline.Query > lambda" },
	{ "Shop.OrderPipeline/<>c:.cctor ()",
		"Shop.OrderPipeline > closure.static constructor",
		"Shop.OrderPipeline > closure.static constructor" },
	{ "Shop.OrderPipeline/<>c__DisplayClass7_0:.ctor ()",
		"Shop.OrderPipeline > closure.new()",
		"Shop.OrderPipeline > closure.new()" },
	{ "Shop.OrderPipeline/<>c__DisplayClass9_0<System.__Canon>:<Generic>b__0 ()",
		"Shop.OrderPipeline.Generic > lambda #0",
		"Shop.OrderPipeline.Generic > lambda" },
	{ "Shop.OrderPipeline/<>c__DisplayClass9_0/<<Generic>b__1>d<System.__Canon>:MoveNext ()",
		"Shop.OrderPipeline.Generic > lambda #1",
		"Shop.OrderPipeline.Generic > lambda" },
	{ "Shop.OrderPipeline/<>c__DisplayClass10_0<System.Int32>:<Locals>g__Cap|0 (int)",
		"Shop.OrderPipeline.Locals > Cap(int)",
		"Shop.OrderPipeline.Locals > Cap(int)" },
	{ "Shop.OrderPipeline:<Locals>g__Rec|10_3<int> (int)",
		"Shop.OrderPipeline.Locals > Rec<int>(int)",
		"Shop.OrderPipeline.Locals > Rec<int>(int)" },
	{ "Shop.OrderPipeline/<>c__DisplayClass10_0/<<Locals>g__LocAsync|1>d<System.Int32>:MoveNext ()",
		"Shop.OrderPipeline.Locals > LocAsync<int>",
		"Shop.OrderPipeline.Locals > LocAsync<int>" },
	{ "Program:<Main>$ (string[])",
		"Program.Main",
		"Program.Main" },
	{ "Program:<Main> (string[])",
		"Program.Main > entry",
		"Program.Main > entry" },
	{ "Program/<<Main>$>d__0:MoveNext ()",
		"Program.Main",
		"Program.Main" },
	{ "Program/<>c:<<Main>$>b__0_3 ()",
		"Program.Main > lambda #3",
		"Program.Main > lambda" },
	{ "Program/<>c/<<<Main>$>b__0_4>d:MoveNext ()",
		"Program.Main > lambda #4",
		"Program.Main > lambda" },
	{ "Program/<>c__DisplayClass0_0:<<Main>$>g__Local|0 (int)",
		"Program.Main > Local(int)",
		"Program.Main > Local(int)" },
	{ "Program:<<Main>$>g__StaticLocal|0_1 (int)",
		"Program.Main > StaticLocal(int)",
		"Program.Main > StaticLocal(int)" },
	{ "Shop.Derived/<M>d__0:MoveNext ()",
		"Shop.Derived.M",
		"Shop.Derived.M" },
	{ "Shop.Derived:<M>b__0_0 ()",
		"Shop.Derived.M > lambda #0",
		"Shop.Derived.M > lambda" },
	{ "Shop.Derived:<>n__0 ()",
		"Shop.Derived.base call",
		"Shop.Derived.base call" },
	{ "Shop.Box<System.__Canon>:Get (System.__Canon)",
		"Shop.Box<_>.Get(_)",
		"Shop.Box<_>.Get(_)" },
	{ "Shop.Box/<Get>d__0<System.__Canon>:MoveNext ()",
		"Shop.Box.Get<_>",
		"Shop.Box.Get<_>" },
	{ "Shop.Tree/Node<System.__Canon,System.Int32>:Walk ()",
		"Shop.Tree.Node<_, int>.Walk()",
		"Shop.Tree.Node<_, int>.Walk()" },
	{ "Shop.Tree/Node/<Walk>d__0<System.__Canon,System.Int32>:MoveNext ()",
		"Shop.Tree.Node.Walk<_, int>",
		"Shop.Tree.Node.Walk<_, int>" },
	{ "Shop.OrderPipeline:Tuple (System.ValueTuple<int,string>)",
		"Shop.OrderPipeline.Tuple((int, string))",
		"Shop.OrderPipeline.Tuple((int, string))" },
	{ "Shop.OrderPipeline:Pointer (int*)",
		"Shop.OrderPipeline.Pointer(int*)",
		"Shop.OrderPipeline.Pointer(int*)" },
	{ "Shop.OrderPipeline:ByRef (int&,int&,int&)",
		"Shop.OrderPipeline.ByRef(ref int, ref int, ref int)",
		"Shop.OrderPipeline.ByRef(ref int, ref int, ref int)" },
	{ "Shop.OrderPipeline:Array (int[,],int[][])",
		"Shop.OrderPipeline.Array(int[,], int[][])",
		"Shop.OrderPipeline.Array(int[,], int[][])" },
	{ "Shop.OrderPipeline:add_Changed (System.EventHandler)",
		"Shop.OrderPipeline.Changed.add",
		"Shop.OrderPipeline.Changed.add" },
	{ "Shop.OrderPipeline:get_Item (int)",
		"Shop.OrderPipeline.this[int].get",
		"Shop.OrderPipeline.this[int].get" },
	{ "Shop.OrderPipeline:set_Item (int,int)",
		"Shop.OrderPipeline.this[int].set",
		"Shop.OrderPipeline.this[int].set" },
	{ "Shop.OrderPipeline:set_Prop (int)",
		"Shop.OrderPipeline.Prop.set",
		"Shop.OrderPipeline.Prop.set" },
	{ "Shop.OrderPipeline:op_Addition (Shop.OrderPipeline,Shop.OrderPipeline)",
		"Shop.OrderPipeline.operator +(OrderPipeline, OrderPipeline)",
		"Shop.OrderPipeline.operator +(Shop.OrderPipeline, Shop.OrderPipeline)" },
	{ "Shop.OrderPipeline:op_Implicit (Shop.OrderPipeline)",
		"Shop.OrderPipeline.implicit operator(OrderPipeline)",
		"Shop.OrderPipeline.implicit operator(Shop.OrderPipeline)" },
	{ "Shop.OrderPipeline:.ctor (string)",
		"Shop.OrderPipeline.new(string)",
		"Shop.OrderPipeline.new(string)" },
	{ "Shop.OrderPipeline:.cctor ()",
		"Shop.OrderPipeline.static constructor",
		"Shop.OrderPipeline.static constructor" },
	{ "Shop.Point:.ctor (int,int)",
		"Shop.Point.new(int, int)",
		"Shop.Point.new(int, int)" },
	{ "Shop.Rec<System.Int32>:op_Equality (Shop.Rec<int>,Shop.Rec<int>)",
		"Shop.Rec<int>.operator ==(Rec<int>, Rec<int>)",
		"Shop.Rec<int>.operator ==(Shop.Rec<int>, Shop.Rec<int>)" },
	{ "<>f__AnonymousType0<System.__Canon,System.Int32>:ToString ()",
		"{anonymous}.ToString()",
		"{anonymous}.ToString()" },
	{ "<PrivateImplementationDetails>:ComputeStringHash (string)",
		"<PrivateImplementationDetails>.ComputeStringHash(string)",
		"<PrivateImplementationDetails>.ComputeStringHash(string)" },
	{ "System.Runtime.CompilerServices.AsyncTaskMethodBuilder/AsyncStateMachineBox<System.Decimal,System.__Canon>:MoveNext ()",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder.AsyncStateMachineBox<decimal, _>.MoveNext()",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder.AsyncStateMachineBox<decimal, _>.MoveNext()" },
	/* Mono, mcs */
	{ "Shop.OrderPipeline/<TaxAsync>c__async1:MoveNext ()",
		"Shop.OrderPipeline.TaxAsync",
		"Shop.OrderPipeline.TaxAsync" },
	{ "Shop.OrderPipeline/<TaxAsync>c__asyncA:MoveNext ()",
		"Shop.OrderPipeline.TaxAsync",
		"Shop.OrderPipeline.TaxAsync" },
	{ "Shop.OrderPipeline/<Items>c__Iterator2:MoveNext ()",
		"Shop.OrderPipeline.Items",
		"Shop.OrderPipeline.Items" },
	{ "Shop.OrderPipeline/<AsyncLambda>c__async3:<>m__0 ()",
		"Shop.OrderPipeline.AsyncLambda > lambda #0",
		"Shop.OrderPipeline.AsyncLambda > lambda" },
	{ "Shop.OrderPipeline/<AsyncLambda>c__async3/<AsyncLambda>c__async7:MoveNext ()",
		"Shop.OrderPipeline.AsyncLambda > lambda",
		"Shop.OrderPipeline.AsyncLambda > lambda" },
	{ "Shop.OrderPipeline/<Lambdas>c__AnonStorey4:<>m__1 ()",
		"Shop.OrderPipeline.Lambdas > lambda #1",
		"Shop.OrderPipeline.Lambdas > lambda" },
	{ "Shop.OrderPipeline:<Lambdas>m__1 ()",
		"Shop.OrderPipeline.Lambdas > lambda #1",
		"Shop.OrderPipeline.Lambdas > lambda" },
	{ "Shop.OrderPipeline/<Generic>c__AnonStorey8`1<int>:<>m__0 ()",
		"Shop.OrderPipeline.Generic > lambda #0",
		"Shop.OrderPipeline.Generic > lambda" },
	{ "Shop.Box`1/<Get>c__async0/<Get>c__AnonStorey1<T_REF>:<>m__0 ()",
		"Shop.Box<_>.Get > lambda #0",
		"Shop.Box<_>.Get > lambda" },
	{ "Shop.Box`1/<Get>c__async0<int>:MoveNext ()",
		"Shop.Box<int>.Get",
		"Shop.Box<int>.Get" },
	{ "Shop.Box`1<int>:Id<string> (int,string)",
		"Shop.Box<int>.Id<string>(int, string)",
		"Shop.Box<int>.Id<string>(int, string)" },
	{ "Shop.Tree`1/Node`1<int, string>:Walk ()",
		"Shop.Tree<int>.Node<string>.Walk()",
		"Shop.Tree<int>.Node<string>.Walk()" },
	{ "Shop.Tree`1/Node`1/<Walk>c__Iterator0<int, string>:MoveNext ()",
		"Shop.Tree<int>.Node<string>.Walk",
		"Shop.Tree<int>.Node<string>.Walk" },
	{ "Shop.OrderPipeline:Tup (System.Tuple`2<int, System.Collections.Generic.List`1<string>>,int&,int[,])",
		"Shop.OrderPipeline.Tup(Tuple<int, List<string>>, ref int, int[,])",
		"Shop.OrderPipeline.Tup(System.Tuple<int, System.Collections.Generic.List<string>>, ref int, int[,])" },
	{ "Shop.OrderPipeline:Generic<T_REF> (T_REF)",
		"Shop.OrderPipeline.Generic<_>(_)",
		"Shop.OrderPipeline.Generic<_>(_)" },
	{ "Shop.OrderPipeline:Finalize ()",
		"Shop.OrderPipeline.finalizer",
		"Shop.OrderPipeline.finalizer" },
	{ "<>__AnonType0`2<int, int>:get_y ()",
		"{anonymous}.y.get",
		"{anonymous}.y.get" },
	{ "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:Start<Shop.Box`1/<Get>c__async0<int>> (Shop.Box`1/<Get>c__async0<int>&)",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<int>.Start<Box<int>.Get>(ref Box<int>.Get)",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<int>.Start<Shop.Box<int>.Get>(ref Shop.Box<int>.Get)" },
	{ "(wrapper managed-to-native) System.RuntimeTypeHandle:type_is_assignable_from (System.Type,System.Type)",
		"(wrapper managed-to-native) System.RuntimeTypeHandle.type_is_assignable_from(Type, Type)",
		"(wrapper managed-to-native) System.RuntimeTypeHandle.type_is_assignable_from(System.Type, System.Type)" },
	/* Mono, Roslyn */
	{ "Shop.OrderPipeline/<>c/<<AsyncLambda>b__6_1>d:MoveNext ()",
		"Shop.OrderPipeline.AsyncLambda > lambda #1",
		"Shop.OrderPipeline.AsyncLambda > lambda" },
	{ "Shop.OrderPipeline:<AsyncLambda>g__LL|6_0 (int)",
		"Shop.OrderPipeline.AsyncLambda > LL(int)",
		"Shop.OrderPipeline.AsyncLambda > LL(int)" },
	{ "Shop.OrderPipeline/<>c__DisplayClass7_0`1<T_REF>:<Generic>b__0 ()",
		"Shop.OrderPipeline.Generic > lambda #0",
		"Shop.OrderPipeline.Generic > lambda" },
	{ "Shop.Box`1/<Get>d__0<T_REF>:MoveNext ()",
		"Shop.Box<_>.Get",
		"Shop.Box<_>.Get" },
	/* by the rules */
	{ "App.<Prog>F1234ABCD__Hidden:Run (System.Nullable`1<System.Int32>[]&)",
		"App.Hidden.Run(ref int?[])",
		"App.Hidden.Run(ref int?[])" },
	{ "Shop.Rec:<Clone>$ ()",
		"Shop.Rec.with",
		"Shop.Rec.with" },
	{ "T:Odd<in (int",
		"T.Odd<in (int",
		"T.Odd<in (int" },
	/* clang-format on */
};

static const struct {
	const char *raw, *readable, *canonical;
} classes[] = {
	{ "System.Byte[]", "byte[]", "byte[]" },
	{ "System.Object[,][]", "object[,][]", "object[,][]" },
	{ "System.ValueTuple`2<int,System.String>", "(int, string)", "(int, string)" },
	{ "<>f__AnonymousType0`2<int, int>", "{anonymous}", "{anonymous}" },
	{ "Shop.Tree`1/Node`1<int, string>", "Shop.Tree<int>.Node<string>",
		"Shop.Tree<int>.Node<string>" },
	{ "System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<"
	  "int>>[]",
		"System.Collections.Generic.Dictionary<string, List<int>>[]",
		"System.Collections.Generic.Dictionary<string, "
		"System.Collections.Generic.List<int>>"
		"[]" },
	{ "Shop.OrderPipeline/<TaxAsync>d__4", "Shop.OrderPipeline.TaxAsync",
		"Shop.OrderPipeline.TaxAsync" },
	{ "Shop.OrderPipeline/<>c__DisplayClass10_0<System.Int32>", "Shop.OrderPipeline.closure",
		"Shop.OrderPipeline.closure" },
	{ "Builder/AsyncStateMachineBox<System.Decimal,Shop.OrderPipeline/<TaxAsync>d__4>",
		"Builder.AsyncStateMachineBox<decimal, OrderPipeline.TaxAsync>",
		"Builder.AsyncStateMachineBox<decimal, Shop.OrderPipeline.TaxAsync>" },
};

typedef size_t readable(const char *raw, size_t len, enum pv_name_form form, char *to, size_t room);

static void check(readable *of, const char *raw, enum pv_name_form form, const char *expected)
{
	char text[500] = "";
	size_t n = of(raw, strlen(raw), form, text, sizeof text);
	ck_assert_msg(n == strlen(expected) && strcmp(text, expected) == 0,
		"%s: \"%s\", not \"%s\"", raw, text, expected);
}

START_TEST(methods_read_as_they_are_written)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		check(pv_readable_method, methods[i].raw, PV_NAME_READABLE, methods[i].readable);
		check(pv_readable_method, methods[i].raw, PV_NAME_CANONICAL, methods[i].canonical);
	}
}
END_TEST

START_TEST(classes_read_as_they_are_written)
{
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		check(pv_readable_class, classes[i].raw, PV_NAME_READABLE, classes[i].readable);
		check(pv_readable_class, classes[i].raw, PV_NAME_CANONICAL, classes[i].canonical);
	}
}
END_TEST

START_TEST(other_names_are_left_as_is)
{
	static const char *const other[] = { "", ":", "std::vector<int>::size()", "main", "<",
		"libc.so.6+0x1234", "operator new(unsigned long)", "lambda_method" };
	char text[100];
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		ck_assert_uint_eq(pv_readable_method(other[i], strlen(other[i]), PV_NAME_READABLE,
					  text, sizeof text),
			0);
}
END_TEST

/* Without room nothing is written that resembles a name; nor after the room. */
START_TEST(what_does_not_fit)
{
	const char *raw = methods[0].raw;
	size_t n = strlen(methods[0].readable);
	for (size_t room = 0; room <= n + 1; room++) {
		char *to = malloc(room ? room : 1);
		ck_assert_ptr_nonnull(to);
		size_t got = pv_readable_method(raw, strlen(raw), PV_NAME_READABLE, to, room);
		ck_assert_uint_eq(got, room > n ? n : 0);
		free(to);
	}
}
END_TEST

/* Each form is the same whether it is made by itself or with the other one. */
static void check_together(bool class, const char *raw, size_t len)
{
	enum { ROOM = 300 };
	char one[ROOM], room[PV_NAME_FORMS][ROOM];
	char *const both[PV_NAME_FORMS] = { room[0], room[1] };
	size_t n[PV_NAME_FORMS];
	pv_readable_forms(class, raw, len, both, ROOM, n);
	for (int form = 0; form < PV_NAME_FORMS; form++) {
		ck_assert_uint_eq((class ? pv_readable_class : pv_readable_method)(
					  raw, len, (enum pv_name_form)form, one, ROOM),
			n[form]);
		ck_assert(memcmp(one, both[form], n[form]) == 0);
	}
}

/* Mutated names: read within their bounds, which the sanitizers watch. */
START_TEST(mutated_names)
{
	static const char some[] = "<>/:.,`|_()[]&*- 0gdbcA";
	unsigned dice = 1;
	for (unsigned i = 0; i < 200000; i++) {
		const char *raw = methods[i % (sizeof methods / sizeof *methods)].raw;
		size_t len = strlen(raw);
		char *copy = malloc(len);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, raw, len);
		for (unsigned k = 0; k < 1 + i % 4; k++) {
			dice = dice * 1103515245 + 12345;
			copy[(dice >> 8) % len] = some[(dice >> 4) % (sizeof some - 1)];
		}
		len = i % 3 ? len : (dice >> 9) % len;
		check_together(i % 2, copy, len);
		free(copy);
	}
}
END_TEST

/* Neither the stack nor the time grows faster than the name. */
START_TEST(very_long_names)
{
	enum { LONG = 1 << 20 };
	static const char *const parts[] = { "<", "A<", "A/", "<A>d/", "a.", "<<", ",", "`9<a,",
		"A-", "<>c/", "<A>b__1_1", "&", "[]" };
	char *name = malloc(LONG + 100), *text = malloc(2 * LONG);
	ck_assert(name && text);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t part = strlen(parts[i]), n = LONG / part * part;
		for (size_t at = 0; at < n; at++)
			name[at] = parts[i][at % part];
		memcpy(name + n, ":<M>d ()", 8);
		pv_readable_method(name, n + 8, PV_NAME_READABLE, text, 2 * LONG);
		pv_readable_class(name, n, PV_NAME_CANONICAL, text, 2 * LONG);
	}
	free(name);
	free(text);
}
END_TEST

/* Frames that go on with an async method, and those that only look like one. */
START_TEST(resumptions)
{
	static const char *const yes[] = {
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<System.Threading.Tasks.VoidTaskResult,Shop.Cart/<A>d__0>:MoveNext ()",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder/AsyncStateMachineBox<System.Int32,System.__Canon>:ExecutionContextCallback (object)",
		"System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder/StateMachineBox<System.Int32>:MoveNext (System.Threading.Thread)",
		"System.Runtime.CompilerServices.AsyncMethodBuilderCore/MoveNextRunner:InvokeMoveNext (object)",
		"S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_1_AsyncStateMachineBox_1<Int32__Cart__A_d__0>__MoveNext [aot]",
		"S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_1_AsyncStateMachineBox_1<Int32__Cart__A_d__0>__MoveNext_0",
		"S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_1_AsyncStateMachineBox_1<Int32__Cart__A_d__0>__ExecutionContextCallback",
		"System.Runtime.CompilerServices.AsyncProfiler/ContinuationWrapper:Continuation_Wrapper_7 (object)",
		"(dynamic) IL_STUB_AsyncResume ()",
	};
	static const char *const no[] = {
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<System.Int32,Shop.Cart/<MoveNext>d__0>:.ctor ()",
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<System.Int32>:get_MoveNextAction ()",
		"S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_1<Bool>__GetStateMachineBox<Cart__MoveNextAsync_d__3>",
		"S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_1_AsyncStateMachineBox_1<Bool__Cart__MoveNextAsync_d__3>__ClearStateUponCompletion [aot]",
		"Shop.StateMachineBox:MoveNext ()",
		"Shop.Cart/<A>d__0:MoveNext ()",
		"System.Threading.ExecutionContext:RunInternal (object)",
		"",
	};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ck_assert_msg(pv_is_resumption(yes[i], strlen(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ck_assert_msg(!pv_is_resumption(no[i], strlen(no[i])), "%s", no[i]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("readable names");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 30);
	tcase_add_test(c, methods_read_as_they_are_written);
	tcase_add_test(c, classes_read_as_they_are_written);
	tcase_add_test(c, other_names_are_left_as_is);
	tcase_add_test(c, what_does_not_fit);
	tcase_add_test(c, mutated_names);
	tcase_add_test(c, very_long_names);
	tcase_add_test(c, resumptions);
	suite_add_tcase(s, c);
	return run_suite(s);
}

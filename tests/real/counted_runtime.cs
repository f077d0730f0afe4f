// What only .NET tells: objects that move, native code, loads in vain, code of several kinds.
using System;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Counted {

class Settler {
	public long Number;
	public Settler Next;
	public string Label;
	public Spot Place;
}

struct Spot {
	public int X;
	public object Owner;
}

class Heir : Settler {
	public object Extra;
}

unsafe static class Native {
	[DllImport ("libc")]
	static extern int abs (int n);

	[DllImport ("libc")]
	static extern void qsort (int* at, nint n, nint size, delegate* unmanaged<int*, int*, int> less);

	static int compared;

	[UnmanagedCallersOnly]
	static int Compare (int* a, int* b)
	{
		compared++;
		return *a - *b;
	}

	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; i < 200; i++)
			sum += abs (-i);
		Tally.Add ("native Counted.Native:abs (int)", 200);
		int* some = stackalloc int [16];
		for (int i = 0; i < 16; i++)
			some [i] = 16 - i;
		qsort (some, 16, 4, &Compare);
		Tally.Add ("managed Counted.Native:Compare (int*,int*)", compared);
	}
}

static class Runtime {
	static Settler first;

	static long Address (object o) { return (long) Unsafe.As<object, IntPtr> (ref o); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static object Fill ()
	{
		object junk = null;
		for (int i = 0; i < 300; i++) {
			first = new Settler { Number = i, Next = first };
			junk = new byte [200];
		}
		return junk;
	}

	// Where objects lay and lie, by number; those that moved are told.
	public static void Moves ()
	{
		Fill ();
		var before = new long [300];
		for (Settler k = first; k != null; k = k.Next)
			before [k.Number] = Address (k);
		GC.Collect (2, GCCollectionMode.Forced, true, true);
		for (Settler k = first; k != null; k = k.Next)
			if (Address (k) != before [k.Number])
				Tally.Set ("moved " + before [k.Number], Address (k));
	}

	public static void Missing ()
	{
		for (int i = 0; i < 3; i++) {
			try {
				Assembly.Load ("No.Such.Library" + i);
			} catch (System.IO.FileNotFoundException) {
				Tally.Add ("missing No.Such.Library" + i, 1);
			}
		}
	}

	[MethodImpl (MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
	static int Fast (int n) { return n * 3; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Plain (int n) { return n * 5; }

	public static void Code ()
	{
		int sum = Fast (1) + Plain (2);
		for (int i = 0; i < 10; i++) {
			var made = new DynamicMethod ("Made" + i, typeof (int), new [] { typeof (int) });
			ILGenerator il = made.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Ret);
			sum += ((Func<int, int>) made.CreateDelegate (typeof (Func<int, int>))) (i);
			Tally.Add ("made Made" + i, 1);
		}
		Tally.Set ("sum", sum);
	}

	static Heir shown;

	public static void Names ()
	{
		shown = new Heir { Label = "a label that is long", Next = new Settler () };
		shown.Place.Owner = new Settler { Label = "caf\u00e9" };
		shown.Extra = new int [3];
	}
}

}

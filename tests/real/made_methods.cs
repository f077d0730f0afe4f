/* SPDX-License-Identifier: MIT */
// Allocations, and exceptions, in and below a method that is made at run time; says how many of each.
using System;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

public class Kept { public long A, B; }

public static class Program {
	const int Times = 300;
	public static object Last;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static object Below () { return Last = new Kept (); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static void Thrower () { throw new FormatException (); }

	// Calls Below, makes a Kept of its own, and calls Thrower.
	static Action Make () {
		var m = new DynamicMethod ("MadeUp", null, new Type [] { typeof (object) }, typeof (Program).Module, true);
		var il = m.GetILGenerator ();
		il.Emit (OpCodes.Call, typeof (Program).GetMethod ("Below"));
		il.Emit (OpCodes.Pop);
		il.Emit (OpCodes.Newobj, typeof (Kept).GetConstructor (Type.EmptyTypes));
		il.Emit (OpCodes.Stsfld, typeof (Program).GetField ("Last"));
		il.Emit (OpCodes.Call, typeof (Program).GetMethod ("Thrower"));
		il.Emit (OpCodes.Ldsfld, typeof (Program).GetField ("Last")); // no tail call
		il.Emit (OpCodes.Stsfld, typeof (Program).GetField ("Last"));
		il.Emit (OpCodes.Ret);
		return (Action) m.CreateDelegate (typeof (Action), null);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Above (Action made) {
		try { made (); } catch (FormatException) { }
	}

	public static void Main () {
		Action made = Make ();
		for (int i = 0; i < Times; i++)
			Above (made);
		Console.WriteLine ("times=" + Times);
	}
}

/* SPDX-License-Identifier: MIT */
// Allocations, handles, exceptions and waits on stacks of every kind, on three threads; collections beside them.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Held { public static readonly object[] Made = new object[8]; static Held () { for (int i = 0; i < 8; i++) Made [i] = new Walked (); } }
interface IMaker { object Make (int depth); }
class Walked : IMaker {
	public object Other;
	public object Make (int depth) { return depth == 0 ? new Walked () : new Pair<string> { First = Make (depth - 1) }.First; }
}
class Pair<T> : IMaker {
	public object First;
	public object Make (int depth) { var t = new T[3]; return depth == 0 ? t : Walks.Deep (depth - 1, () => new List<T> { default (T) }); }
}

static class Walks {
	const int Times = 60;
	static object sink;
	static readonly object gate = new object ();

	public static object Deep (int depth, Func<object> made) { return depth <= 0 ? made () : Deep (depth - 1, made) ?? "none"; }

	static int Many (int a, int b, int c, int d, double e, int f, int g, int h, int depth) {
		sink = new int[1 + (a & 3)];
		return depth == 0 ? a + b : Many (b, c, d, a, e * 1.5, g, h, f, depth - 1) + h;
	}

	// Its finally and its catch allocate while frames below them are still on the stack.
	static void Throws (int depth, int how) {
		try {
			if (depth > 0)
				Throws (depth - 1, how);
			else if (how == 0)
				throw new FormatException ("walked");
			else if (how == 1)
				((Walked) null).Make (1);
			else if (how == 2)
				sink = new int[2] [how + depth];
			else
				throw new InvalidOperationException ();
		} catch (InvalidOperationException e) when (Filter (e, depth)) {
			sink = new Walked { Other = e };
		} finally {
			sink = new Pair<int> ().Make (depth & 1);
		}
	}
	static bool Filter (Exception e, int depth) { sink = new Walked { Other = e }; return depth == 2; }

	static unsafe void Roomy (int n) {
		int* room = stackalloc int[n + 1];
		room [n] = n;
		sink = (long) room [n];
		if (n > 0)
			Roomy (n - 1);
	}

	static void Handles (int depth) {
		var h = GCHandle.Alloc (new Walked (), GCHandleType.Pinned == 0 ? GCHandleType.Normal : GCHandleType.Weak);
		if (depth > 0)
			Handles (depth - 1);
		h.Free ();
	}

	static void Round (int i) {
		sink = Deep (i % 23, () => "s" + i);
		IMaker maker = (i & 1) == 0 ? (IMaker) new Walked () : new Pair<string> ();
		sink = maker.Make (i % 5);
		Many (i, 2, 3, 4, 5, 6, 7, 8, i % 9);
		Roomy (i % 7);
		Handles (i % 4);
		sink = typeof (Walks).GetMethod ("Deep").Invoke (null, new object[] { i % 3, new Func<object> (() => new Walked ()) });
		Array.Sort (new [] { 5, i, 3 }, (a, b) => { sink = new Walked (); return a.CompareTo (b); });
		sink = Held.Made [i & 7];
		try {
			Throws (i % 6, i % 4);
		} catch (Exception e) {
			sink = e;
		}
		lock (gate)
			sink = new Walked ();
	}

	static void Run () { for (int i = 0; i < Times; i++) Round (i); }

	static void Main () {
		var threads = new Thread[3];
		for (int i = 0; i < threads.Length; i++) {
			threads [i] = new Thread (Run);
			threads [i].Start ();
		}
		for (int i = 0; i < 40; i++) {
			GC.Collect (i % 2);
			Thread.Sleep (1);
		}
		foreach (var t in threads)
			t.Join ();
		Run ();
		Console.WriteLine ("done");
	}
}

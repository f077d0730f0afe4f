/* SPDX-License-Identifier: MIT */
// Objects: allocations by class, objects alive at a heap shot, handles, finalizers.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Counted {

class Small { public int A; }
class Pair { public object A, B; }
class Wide { public long A, B, C, D, E, F, G, H; }
class Derived : Pair { public object C; }
class Box<T> { public T Value; }
struct Point { public int X, Y; }

static class Allocs {
	const int Threads = 3, Rounds = 700;
	[ThreadStatic] static object sink;

	public static void Run ()
	{
		Make (Rounds);
		Tally.InThreads (Threads, "allocator-", delegate { Make (Rounds); });
		int n = (Threads + 1) * Rounds;
		// An object has 16 bytes before its fields, an array 32 before its elements.
		Count ("Counted.Small", n, 24);
		Count ("Counted.Pair", n, 32);
		Count ("Counted.Wide", n, 80);
		Count ("Counted.Derived", n, 40);
		Count ("Counted.Box<System.Int32>", n, 24);
#if NET // which does not tell of every value that it boxes, and has shorter arrays
		Count ("Counted.Small[]", n, 24 + 5 * 8);
#else
		Count ("Counted.Point", n, 24);
		Count ("Counted.Small[]", n, 32 + 5 * 8);
#endif
	}

	static void Count (string name, int n, int bytes)
	{
		Tally.Add ("allocs " + name, n);
		Tally.Add ("bytes " + name, (long) n * bytes);
	}

	static void Make (int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			sink = new Small ();
			sink = new Pair ();
			sink = new Wide ();
			sink = new Derived ();
			sink = new Box<int> ();
			sink = new Point ();
			sink = new Small [5];
		}
	}
}

class HeldByThread { public object A = new object (); }
class HeldByClass { public object A = new object (); }
static class Keeper<T> { public static List<T> List = new List<T> (); }

/* Threads that stay, each with a list of its own; a list of a class for each of its arguments. */
static class Holders {
	const int Threads = 2, Objects = 3000;
	[ThreadStatic] static List<HeldByThread> mine;
	static readonly CountdownEvent ready = new CountdownEvent (Threads);

	public static void Run ()
	{
		for (int i = 0; i < Threads; i++)
			new Thread (Hold) { IsBackground = true, Name = "holder-" + i }.Start ();
		ready.Wait ();
		for (int i = 0; i < Objects; i++) {
			Keeper<HeldByClass>.List.Add (new HeldByClass ());
			Keeper<int>.List.Add (i);
		}
		Tally.Set ("held Counted.HeldByThread", Threads * Objects);
		Tally.Set ("held Counted.HeldByClass", Objects);
	}

	static void Hold ()
	{
		mine = new List<HeldByThread> ();
		for (int i = 0; i < Objects; i++)
			mine.Add (new HeldByThread ());
		ready.Signal ();
		Thread.Sleep (Timeout.Infinite);
	}
}

class Kept { public KeptPart Part = new KeptPart (); }
class KeptPart { public long A, B; }
class Dropped { public object A; }

static class Heap {
	static readonly List<Kept> kept = new List<Kept> ();

	public static void Run ()
	{
		// In threads that end, so that no stack still points at what was dropped.
		Tally.InThreads (1, "keeper-", Keep);
		Tally.Set ("alive Counted.Kept", kept.Count);
		Tally.Set ("alive bytes Counted.Kept", kept.Count * 24);
		Tally.Set ("alive Counted.KeptPart", kept.Count);
		Tally.Set ("alive bytes Counted.KeptPart", kept.Count * 32);
		Tally.Add ("dropped Counted.Dropped", 5000);
	}

	static void Keep ()
	{
		for (int i = 0; i < 1234; i++)
			kept.Add (new Kept ());
		for (int i = 0; i < 5000; i++)
			new Dropped ();
	}
}

static class Handles {
	public static void Run ()
	{
		var handles = new List<GCHandle> ();
		for (int i = 0; i < 100; i++)
			handles.Add (GCHandle.Alloc (new Small (), GCHandleType.Normal));
		for (int i = 0; i < 50; i++)
			handles.Add (GCHandle.Alloc (new byte [16], GCHandleType.Pinned));
		for (int i = 0; i < 30; i++)
			handles.Add (GCHandle.Alloc (new Small (), GCHandleType.Weak));
		for (int i = 0; i < 120; i++)
			handles [i].Free ();
		Tally.Add ("handles created", 180);
		Tally.Add ("handles destroyed", 120);
		Tally.Add ("allocs Counted.Small", 130);
		Tally.Add ("bytes Counted.Small", 130 * 24);
	}
}

class Mortal {
	public static int Finalized;
	~Mortal () { Interlocked.Increment (ref Finalized); }
}

static class Finalizers {
	public static void Run ()
	{
		Tally.InThreads (1, "mortal-", delegate {
			for (int i = 0; i < 400; i++)
				new Mortal ();
		});
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		Tally.Add ("allocs Counted.Mortal", 400);
		Tally.Set ("finalized", Mortal.Finalized);
		Tally.Set ("calls Counted.Mortal:Finalize ()", Mortal.Finalized);
	}
}

}

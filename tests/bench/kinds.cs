// SPDX-License-Identifier: MIT
// Many events of one kind, for logs by which kinds.py measures what reading costs: kinds.exe WORD COUNT.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

class Finalized
{
	~Finalized () { }
}

class Pair
{
	public Pair First, Second;
	public string Name;
}

static class Kinds
{
	static readonly object gate = new object ();
	static readonly string[] names = { "alpha", "beta", "gamma" };
	public static object kept;

	static void At (int depth, Action work)
	{
		if (depth == 0)
			work ();
		else
			At (depth - 1, work);
	}

	static void Allocate (int count)
	{
		for (int i = 0; i < count; i++) {
			switch (i % 4) {
			case 0: kept = new byte[24]; break;
			case 1: kept = new int[6]; break;
			case 2: kept = new string ('x', 3); break;
			default: kept = new Pair (); break;
			}
		}
	}

	static void Handles (int count)
	{
		for (int i = 0; i < count; i++)
			GCHandle.Alloc (gate).Free ();
	}

	static void Finalize (int count)
	{
		for (int i = 1; i <= count; i++) {
			new Finalized ();
			if (i % 50000 == 0) {
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			}
		}
	}

	static void Throw (int count)
	{
		for (int i = 0; i < count; i++) {
			try {
				At (6, () => { throw new InvalidOperationException (); });
			} catch (InvalidOperationException) {
			}
		}
	}

	// The thread that has the lock gives its processor away: others meet it closed, on one processor, too.
	static void Lock (int count)
	{
		var threads = new Thread[4];
		for (int t = 0; t < threads.Length; t++) {
			threads[t] = new Thread (() => {
				for (int i = 0; i < count; i++) {
					lock (gate)
						Thread.Yield ();
				}
			});
			threads[t].Start ();
		}
		foreach (var thread in threads)
			thread.Join ();
	}

	static Pair Grow (int depth)
	{
		var made = new Pair { Name = names[depth % names.Length] };
		if (depth > 0) {
			made.First = Grow (depth - 1);
			made.Second = Grow (depth - 1);
		}
		return made;
	}

	static void Move (int count)
	{
		var trees = new Queue<Pair> ();
		for (int i = 0; i < count; i++) {
			trees.Enqueue (Grow (11));
			if (trees.Count > 24)
				trees.Dequeue ();
			GC.Collect (i % 4 == 0 ? 1 : 0);
		}
		GC.KeepAlive (trees);
	}

	// A heap that grows from one shot to the next: lists, arrays, names that are shared and that are not.
	static void Heap (int count)
	{
		var byNumber = new Dictionary<int, Pair> ();
		Pair before = null;
		for (int i = 0; i < count; i++) {
			bool first = i % 500 == 0, named = i % 5 == 0;
			before = new Pair { First = first ? null : before, Second = new Pair (),
				Name = named ? "object " + i : names[i % names.Length] };
			byNumber[i] = before;
			if (i % Math.Max (1, count / 8) == 0)
				GC.Collect ();
		}
		GC.Collect ();
		GC.KeepAlive (byNumber);
	}

	static int Main (string[] args)
	{
		int count = int.Parse (args[1]);
		switch (args[0]) {
		case "none": break;
		case "allocate": for (int depth = 8; depth < 16; depth++) At (depth, () => Allocate (count / 8)); break;
		case "handles": At (8, () => Handles (count)); break;
		case "finalize": Finalize (count); break;
		case "throw": Throw (count); break;
		case "lock": Lock (count); break;
		case "move": Move (count); break;
		case "heap": Heap (count); break;
		default: Console.Error.WriteLine ("unknown: " + args[0]); return 1;
		}
		return 0;
	}
}

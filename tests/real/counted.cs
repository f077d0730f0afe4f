/* SPDX-License-Identifier: MIT */
// Programs that count what they do, so that a profiler's figures can be checked exactly.
//
// usage: counted.exe WORLD...
//   calls allocs throws locks threads handles finalizers heap collect spin   do some of it
//   hold     threads that stay and keep lists in static fields, each its own and all the same
//   domains  work in application domains that are unloaded again
//   tasks    asynchronous work on the thread pool, exceptions that replace others (.NET alone)
//   moves native missing code names work  what only .NET tells
//   meters   instruments and counters that are there from now on
//   measure  their values change
//   flood    four million calls, for more bytes than any buffer between two programs holds
//   rest     sleep for three seconds, so that counters are sampled a few times
//   pause    collect garbage, print every count so far, wait for a line on standard input
// At the end every count is printed once more. A line reads KEY=VALUE; keys start with a word that
// says what is counted, then its name as the log spells it. "phase=N" ends each list.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Counted {

static class Program {
	static int phases;

	static int Main (string [] worlds)
	{
		foreach (string world in worlds)
			Visit (world);
		Report ();
		return 0;
	}

	static void Visit (string world)
	{
		switch (world) {
		case "calls": Calls.Run (); break;
		case "allocs": Allocs.Run (); break;
		case "throws": Throws.Run (); break;
		case "locks": Locks.Run (); break;
		case "threads": Threads.Run (); break;
		case "handles": Handles.Run (); break;
		case "finalizers": Finalizers.Run (); break;
		case "heap": Heap.Run (); break;
		case "hold": Holders.Run (); break;
		case "collect": Collect (); break;
		case "spin": Spin.Run (); break;
		case "domains": Domains.Run (); break;
#if NET
		case "tasks": Tasks.Run (); break;
		case "moves": Runtime.Moves (); break;
		case "native": Native.Run (); break;
		case "missing": Runtime.Missing (); break;
		case "code": Runtime.Code (); break;
		case "names": Runtime.Names (); break;
		case "work": Work.Run (); break;
		case "files": Files.Run (); break;
		case "meters": Meters.Run (); break;
		case "measure": Meters.Measure (); break;
#endif
		case "flood": Calls.Flood (); break;
		case "rest": Thread.Sleep (3000); break;
		case "pause": Pause (); break;
		default: throw new ArgumentException (world);
		}
	}

	static void Collect ()
	{
		for (int i = 0; i < 3; i++)
			GC.Collect ();
		GC.Collect (0);
	}

	// The world stops for a collection, and then every thread's events go out.
	static void Pause ()
	{
		GC.Collect ();
		Report ();
		Console.In.ReadLine ();
	}

	static void Report ()
	{
		Tally.Set ("collections 0", GC.CollectionCount (0));
		Tally.Set ("collections 1", GC.CollectionCount (1));
		foreach (KeyValuePair<string, long> count in Tally.All)
			Console.WriteLine (count.Key + "=" + count.Value);
		Console.WriteLine ("phase=" + ++phases);
		Console.Out.Flush ();
	}
}

static class Tally {
	public static readonly SortedDictionary<string, long> All =
		new SortedDictionary<string, long> (StringComparer.Ordinal);

	public static void Add (string key, long n)
	{
		long old;
		All.TryGetValue (key, out old);
		All [key] = old + n;
	}

	public static void Set (string key, long n) { All [key] = n; }

	// Runs `job` in `n` threads and waits for them.
	public static void InThreads (int n, string name, ThreadStart job)
	{
		var threads = new Thread [n];
		for (int i = 0; i < n; i++)
			threads [i] = new Thread (job) { Name = name + i };
		foreach (Thread t in threads)
			t.Start ();
		foreach (Thread t in threads)
			t.Join ();
		for (int i = 0; i < n; i++)
			Add ("threads " + name + i, 1);
	}
}

}

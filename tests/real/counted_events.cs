/* SPDX-License-Identifier: MIT */
// Exceptions, contended locks, threads one after another.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Counted {

class OwnException : Exception {}

static class Throws {
	static int finallies;

	public static void Run ()
	{
		int caught = 0;
		for (int i = 0; i < 60; i++)
			caught += Try (delegate { throw new OwnException (); });
		for (int i = 0; i < 45; i++)
			caught += Try (delegate { int.Parse ("seven"); });
		Tally.InThreads (2, "thrower-", delegate {
			for (int i = 0; i < 25; i++)
				Try (delegate { throw new KeyNotFoundException (); });
		});
		Tally.Add ("throws Counted.OwnException", 60);
		Tally.Add ("throws System.FormatException", 45);
		Tally.Add ("throws System.Collections.Generic.KeyNotFoundException", 50);
		Tally.Add ("throws total", caught + 50);
		Tally.Set ("finally at least", finallies);
	}

	static int Try (Action action)
	{
		try {
			action ();
			return 0;
		} catch (Exception) {
			return 1;
		} finally {
			Interlocked.Increment (ref finallies);
		}
	}
}

class Gate {}

// One thread holds the gate until the other is seen waiting for it: each round contends once.
static class Locks {
	const int Rounds = 30, Failures = 12;
	static readonly Gate gate = new Gate ();
	static readonly AutoResetEvent held = new AutoResetEvent (false);
	static readonly AutoResetEvent done = new AutoResetEvent (false);
	static Thread waiter;
	static long waited, leastWait;

	public static void Run ()
	{
		waited = leastWait = 0;
		// The gate's allocation then stands before the waits in the log, and it moves no more.
		lock (gate)
			GC.Collect ();
		waiter = new Thread (Wait) { Name = "waiter" };
		waiter.Start ();
		for (int i = 0; i < Rounds + Failures; i++) {
			Monitor.Enter (gate);
			held.Set ();
			if (i < Rounds)
				HoldUntilBlocked ();
			else
				done.WaitOne ();
			Monitor.Exit (gate);
			if (i < Rounds)
				done.WaitOne ();
		}
		waiter.Join ();
		Tally.Add ("threads waiter", 1);
		Tally.Add ("contended Counted.Gate", Rounds + Failures);
		Tally.Add ("acquired Counted.Gate", Rounds);
		Tally.Add ("failed Counted.Gate", Failures);
		Tally.Add ("waited at least", (long) (leastWait * (1e9 / Stopwatch.Frequency)));
		Tally.Add ("waited at most", (long) (waited * (1e9 / Stopwatch.Frequency)));
	}

	static void HoldUntilBlocked ()
	{
		while (Volatile.Read (ref entering) == 0)
			Thread.Sleep (0);
		// Past its wait for `held`, it can only be waiting in Monitor.Enter.
		while ((waiter.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0)
			Thread.Sleep (0);
		long start = Stopwatch.GetTimestamp ();
		Thread.Sleep (1);
		leastWait += Stopwatch.GetTimestamp () - start;
		Volatile.Write (ref entering, 0);
	}

	static int entering;

	static void Wait ()
	{
		for (int i = 0; i < Rounds + Failures; i++) {
			held.WaitOne ();
			long start = Stopwatch.GetTimestamp ();
			Volatile.Write (ref entering, 1);
			bool got = i < Rounds ? Enter () : Monitor.TryEnter (gate, 2);
			waited += Stopwatch.GetTimestamp () - start;
			if (got)
				Monitor.Exit (gate);
			done.Set ();
		}
		Volatile.Write (ref entering, 0);
	}

	static bool Enter ()
	{
		Monitor.Enter (gate);
		return true;
	}
}

// Native thread ids are used again: each of these threads must still be told apart.
static class Threads {
	static int round;

	public static void Run ()
	{
		round++;
		for (int i = 0; i < 12; i++) {
			string name = "one-by-one-" + round + "-" + i;
			var t = new Thread (Touch) { Name = name };
			t.Start ();
			t.Join ();
			Tally.Add ("threads " + name, 1);
			Tally.Add ("calls Counted.Threads:Touch ()", 1);
		}
	}

	static void Touch () {}
}

#if !NET
// Images, assemblies and vtables come and go with a domain; what they did still counts.
class Guest { public int A; }

static class Domains {
	const int Visits = 3;
	static Guest guest;

	public static void Run ()
	{
		for (int i = 0; i < Visits; i++) {
			AppDomain domain = AppDomain.CreateDomain ("guest-" + i);
			domain.DoCallBack (Stay);
			AppDomain.Unload (domain);
		}
		Tally.Add ("calls Counted.Domains:Stay ()", Visits);
		Tally.Add ("calls Counted.Domains:Step ()", Visits * 50);
		Tally.Add ("allocs Counted.Guest", Visits * 50);
		Tally.Add ("bytes Counted.Guest", Visits * 50 * 24);
		Tally.Add ("unloaded domains", Visits);
	}

	static void Stay ()
	{
		for (int i = 0; i < 50; i++)
			Step ();
	}

	static void Step () { guest = new Guest (); guest.A++; }
}
#else
// What takes their place: an assembly that is loaded by itself, used, and unloaded again.
class Guest { public int A; }

static class Domains {
	const int Visits = 3;
	static Guest guest;

	public static void Run ()
	{
		for (int i = 0; i < Visits; i++) {
			WeakReference home = Visit ();
			for (int n = 0; home.IsAlive && n < 50; n++) {
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			}
			if (!home.IsAlive)
				Tally.Add ("unloaded assemblies", 1);
		}
		Tally.Add ("calls Counted.Domains:Stay ()", Visits);
		Tally.Add ("calls Counted.Domains:Step ()", Visits * 50);
		Tally.Add ("allocs Counted.Guest", Visits * 50);
		Tally.Add ("bytes Counted.Guest", Visits * 50 * 24);
	}

	[System.Runtime.CompilerServices.MethodImpl (
		System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
	static WeakReference Visit ()
	{
		var home = new System.Runtime.Loader.AssemblyLoadContext ("guest", true);
		var copy = home.LoadFromAssemblyPath (typeof (Domains).Assembly.Location);
		var stay = copy.GetType ("Counted.Domains").GetMethod ("Stay",
			System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
		stay.Invoke (null, null);
		home.Unload ();
		return new WeakReference (home);
	}

	static void Stay ()
	{
		for (int i = 0; i < 50; i++)
			Step ();
	}

	static void Step () { guest = new Guest (); guest.A++; }
}
#endif

}

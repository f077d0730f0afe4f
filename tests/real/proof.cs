/* SPDX-License-Identifier: MIT */
// What our Mono module has to stand: every way out of a method, many threads, a long run.
//   leaves            exceptions through all kinds of frames, threads aborted
//   many THREADS N    each thread calls Outer N times, which calls Inner twice
//   run MS            calls until told on standard input that it is enough, at most so long
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;

static class Proof {
	static int n;

	static T Generic<T> (T x, int depth)
	{
		if (depth == 0)
			throw new InvalidOperationException (typeof (T).Name);
		return Generic<T> (x, depth - 1);
	}

	class Holder<T> {
		public virtual void Fall (int depth)
		{
			if (depth == 0)
				throw new ArgumentException ();
			try { Fall (depth - 1); } finally { n++; }
		}

		public static void Change (Action a)
		{
			try { a (); } catch (ArgumentException) { throw new FormatException ("x"); }
		}
	}

	static IEnumerable<int> Iterate ()
	{
		try {
			for (int i = 0; i < 5; i++) {
				if (i == 3)
					throw new Exception ();
				yield return i;
			}
		} finally { n++; }
	}

	static void Invoked () { throw new ApplicationException (); }

	static void Reflect ()
	{
		typeof (Proof).GetMethod ("Invoked", BindingFlags.NonPublic | BindingFlags.Static)
			.Invoke (null, null);
	}

	static void Endless () { for (;;) Nap (); }
	static void Nap () { Thread.Sleep (1); n++; }

	static void Deep (int depth)
	{
		if (depth == 0)
			Endless ();
		try { Deep (depth - 1); } finally { n++; }
	}

	static void Try (Action a)
	{
		try { a (); } catch (Exception) { n++; }
	}

	static void AbortOne (ThreadStart body)
	{
		var t = new Thread (body);
		t.Start ();
		Thread.Sleep (10);
		t.Abort ();
		t.Join ();
	}

	static void Survive ()
	{
		try { Deep (6); } catch (ThreadAbortException) { Thread.ResetAbort (); n++; }
	}

	static void Leaves ()
	{
		for (int i = 0; i < 20; i++) {
			Try (() => Generic<string> ("a", 5));
			Try (() => Generic<int> (1, 3));
			Try (() => new Holder<string> ().Fall (4));
			Try (() => new Holder<long> ().Fall (4));
			Try (() => Holder<object>.Change (() => new Holder<object> ().Fall (2)));
			Try (() => { foreach (var x in Iterate ()) n += x; });
			Try (() => int.Parse ("no number"));
			Try (() => ((object) null).ToString ());
			Try (() => { int zero = 0; n = 1 / zero; });
			Try (Reflect);
			Try (() => new List<int> () [3].ToString ());
			Try (() => n = new Dictionary<string, int> () ["nothing"]);
		}
		for (int i = 0; i < 5; i++) {
			AbortOne (Survive);
			AbortOne (() => Deep (3));
		}
	}

	static int Inner (int x) { return x + 1; }
	static int Outer (int x) { return Inner (Inner (x)); }

	static void Many (int threads, int rounds)
	{
		var all = new Thread [threads];
		for (int i = 0; i < threads; i++) {
			all [i] = new Thread (() => { for (int k = 0; k < rounds; k++) Outer (k); });
			all [i].Start ();
		}
		foreach (var t in all)
			t.Join ();
		Console.WriteLine ("calls Proof:Outer (int)={0}", threads * rounds);
		Console.WriteLine ("calls Proof:Inner (int)={0}", 2 * threads * rounds);
	}

	static volatile bool enough;

	static void ReadEnough ()
	{
		var reader = new Thread (() => { Console.In.ReadLine (); enough = true; });
		reader.IsBackground = true;
		reader.Start ();
	}

	static long Go (int ms)
	{
		long calls = 0;
		ReadEnough ();
		var end = DateTime.UtcNow.AddMilliseconds (ms);
		Console.WriteLine ("phase=1");
		while (!enough && DateTime.UtcNow < end) {
			for (int i = 0; i < 200; i++, calls++)
				Outer (i);
			Thread.Sleep (1);
		}
		return calls;
	}

	/* On the processor all the time. */
	static void Until ()
	{
		ReadEnough ();
		Console.WriteLine ("phase=1");
		while (!enough)
			Many (1, 1000000);
	}

	static void Main (string[] args)
	{
		if (args [0] == "leaves")
			Leaves ();
		else if (args [0] == "many")
			Many (int.Parse (args [1]), int.Parse (args [2]));
		else if (args [0] == "until")
			Until ();
		else
			Console.WriteLine ("calls Proof:Outer (int)={0}", Go (int.Parse (args [1])));
		Console.WriteLine ("phase=2");
	}
}

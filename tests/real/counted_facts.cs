/* SPDX-License-Identifier: MIT */
// Throws exceptions of known classes with known messages, and contends for objects of known classes,
// among collections that move everything; says on the console how often.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Facts {

public class StockException : Exception {
	public StockException (string text) : base (text) {}
}

public class PriceException : StockException {
	public PriceException (string text) : base (text) {}
}

public sealed class Shelf { public int Count; }
public sealed class Till { public int Count; }

public static class Program {
	static int stock, price, other, shelf, till, locks;

	static void Throw (int i)
	{
		try {
			if (i % 3 == 0) {
				stock++;
				throw new StockException ("out of stock: " + i);
			}
			if (i % 3 == 1) {
				price++;
				throw new PriceException ("no price");
			}
			other++;
			throw new InvalidOperationException (new string ('x', 500));
		} catch (Exception) {
		}
	}

	// Objects that are gone again: what is thrown later stands where they stood.
	static object[] Litter ()
	{
		var kept = new object[64];
		for (int i = 0; i < 20000; i++)
			kept[i % 64] = new byte[i % 100];
		return kept;
	}

	// Work for samples: of the program, of generic code of the library, and native.
	static double Burn ()
	{
		var clock = System.Diagnostics.Stopwatch.StartNew ();
		var list = new List<KeyValuePair<int, double>> ();
		double sum = 0;
		while (clock.ElapsedMilliseconds < 30) {
			for (int i = 0; i < 2000; i++) {
				sum += Math.Sin (i);
				list.Add (new KeyValuePair<int, double> (i, sum));
			}
			list.Sort ((a, b) => b.Key.CompareTo (a.Key));
			list.Clear ();
		}
		return sum;
	}

	static bool Waits (Thread t)
	{
		return (t.ThreadState & ThreadState.WaitSleepJoin) != 0;
	}

	// The other thread is seen to wait before the lock is given back.
	static void Contend (object o, ref int count)
	{
		var t = new Thread (() => { lock (o) { } });
		lock (o) {
			t.Start ();
			while (!Waits (t))
				Thread.Sleep (1);
		}
		t.Join ();
		count++;
	}

#if NET
	static void ContendLock ()
	{
		var o = new Lock ();
		var t = new Thread (() => { lock (o) { } });
		lock (o) {
			t.Start ();
			while (!Waits (t))
				Thread.Sleep (1);
		}
		t.Join ();
		locks++;
	}
#endif

	public static int Main (string[] args)
	{
		int rounds = int.Parse (args[0]);
		bool waits = args.Length > 1;
		if (waits) {
			Console.WriteLine ("ready");
			Console.ReadLine ();
		}
		for (int r = 0; r < rounds; r++) {
			for (int i = 0; i < 9; i++)
				Throw (i);
			GC.KeepAlive (Litter ());
			GC.KeepAlive (Burn ());
			GC.Collect (r % 3);
			Contend (new Shelf (), ref shelf);
			if (r % 2 == 0)
				Contend (new Till (), ref till);
#if NET
			ContendLock ();
#endif
		}
		Console.WriteLine ("stock={0} price={1} other={2} shelf={3} till={4} locks={5}",
			stock, price, other, shelf, till, locks);
		if (waits)
			Console.ReadLine ();
		return 0;
	}
}
}

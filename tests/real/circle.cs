/* SPDX-License-Identifier: MIT */
// Two threads that take two locks in opposite order. Each holds its first before the other tries it,
// so that both wait for good (no word), or until one gives up (the word "while").
// A third waits for the first lock of the first, and is in no circle.
// The word "moved": one lock is waited for again and again, its object elsewhere each time.
using System;
using System.Threading;

class Ledger { }
class Stock { }

static class Circle
{
	const int GivesUpMs = 700;
	static int done;
	static readonly Ledger ledger = new Ledger ();
	static readonly Stock stock = new Stock ();
	static int there;

	static void Take (object second, int ms)
	{
		if (ms > 0) {
			if (Monitor.TryEnter (second, ms))
				Monitor.Exit (second);
		} else
			lock (second)
				done++;
	}

	// Without a lock of the library's, which could be waited for, too.
	static void Meet ()
	{
		Interlocked.Increment (ref there);
		while (Volatile.Read (ref there) < 2)
			Thread.Sleep (1);
	}

	static void Seller (int ms)
	{
		lock (ledger) {
			Meet ();
			Take (stock, ms);
		}
	}

	static void Buyer ()
	{
		lock (stock) {
			Meet ();
			Take (ledger, 0);
		}
	}

	static void Auditor ()
	{
		lock (ledger) { }
	}

	static Ledger moving;

	static void Young ()
	{
		var before = new object[2000];
		for (int i = 0; i < before.Length; i++)
			before[i] = new byte[100];
		moving = new Ledger ();
	}

	static void MovingTaken ()
	{
		Take (moving, 0);
	}

	static void OneWait ()
	{
		lock (moving) {
			Thread waits = Start ("auditor", MovingTaken);
			while ((waits.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
			Thread.Sleep (20);
		}
	}

	// By threads that end: what a stack leads to stays where it is.
	static void Moved ()
	{
		Start ("young", Young).Join ();
		for (int i = 0; i < 3; i++) {
			Start ("seller", OneWait).Join ();
			while (done <= i)
				Thread.Sleep (1);
			GC.Collect (2, GCCollectionMode.Forced, true, true);
		}
		Console.WriteLine ("moved");
	}

	static Thread Start (string name, ThreadStart work)
	{
		var t = new Thread (work) { Name = name, IsBackground = true };
		t.Start ();
		return t;
	}

	static void Main (string[] args)
	{
		if (args.Length > 0 && args[0] == "moved") {
			Moved ();
			return;
		}
		bool ends = args.Length > 0 && args[0] == "while";
		var seller = Start ("seller", () => Seller (ends ? GivesUpMs : 0));
		var buyer = Start ("buyer", Buyer);
		Thread.Sleep (200);
		var auditor = Start ("auditor", Auditor);
		if (ends) {
			seller.Join ();
			buyer.Join ();
			auditor.Join ();
			return;
		}
		Console.WriteLine ("ready");
		Console.In.ReadLine ();
	}
}

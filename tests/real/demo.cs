/* SPDX-License-Identifier: MIT */
// A small "order desk" that keeps every pane of a profiler busy. Usage: demo.exe [SECONDS]
//
//   worker-1..3   price orders: recursion, many short-lived classes, a shared ledger (contention)
//   importer      reads text in which every seventh line is malformed (exceptions)
//   cache         remembers every customer it ever saw and never forgets one (the growing leak)
//   main          asks for a full collection now and then, until the time is over
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

class Desk {
	static volatile bool closing;
	static readonly Ledger ledger = new Ledger ();
	static readonly CustomerCache cache = new CustomerCache ();

	static int Main (string [] args)
	{
		int seconds = args.Length > 0 ? int.Parse (args [0]) : 60;
		var staff = new List<Thread> ();
		for (int i = 1; i <= 3; i++)
			staff.Add (Hire ("worker-" + i, Work));
		staff.Add (Hire ("importer", Import));
		staff.Add (Hire ("cache", Remember));

		DateTime end = DateTime.UtcNow.AddSeconds (seconds);
		for (int tick = 1; DateTime.UtcNow < end; tick++) {
			Rest (250);
			if (tick % 16 == 0)
				GC.Collect ();
		}
		closing = true;
		foreach (Thread t in staff)
			t.Join ();
		Console.WriteLine ("orders={0} rejected={1} customers={2} scratch_files_finalized={3}",
			ledger.Orders, Importer.Rejected, cache.Count, ScratchFile.Finalized);
		return 0;
	}

	// So that waiting has a name of its own beside the work.
	static void Rest (int ms) { Thread.Sleep (ms); }

	static Thread Hire (string name, ThreadStart job)
	{
		var t = new Thread (job) { Name = name };
		t.Start ();
		return t;
	}

	static void Work ()
	{
		var random = new Random (Thread.CurrentThread.ManagedThreadId);
		while (!closing) {
			for (int i = 0; i < 8; i++)
				ledger.Book (OrderFactory.Make (random).Price ());
			new ScratchFile ();
			Rest (20);
		}
	}

	static void Import ()
	{
		for (int line = 0; !closing; line++) {
			Importer.Accept (line % 7 == 0 ? "qty=many" : "qty=" + line % 90);
			if (line % 10 == 0)
				Rest (40);
		}
	}

	static void Remember ()
	{
		for (int id = 0; !closing; id++) {
			cache.Add (id);
			if (id % 20 == 0)
				Rest (40);
		}
	}
}

// ---- orders: a tree of expressions, priced by recursion

abstract class Item {
	public abstract double Price ();
}

class Book : Item {
	readonly string title;
	readonly int pages;
	public Book (string title, int pages) { this.title = title; this.pages = pages; }
	public override double Price () { return pages * 0.03 + title.Length; }
}

class Record : Item {
	readonly byte [] cover = new byte [256];
	public override double Price () { return 9.5 + cover.Length / 1024.0; }
}

class Lamp : Item {
	readonly int [] watts = { 25, 40, 60 };
	public override double Price () { return Sum (watts.Length - 1); }
	double Sum (int i) { return i < 0 ? 0 : watts [i] + Sum (i - 1); }
}

class Bundle : Item {
	readonly List<Item> parts = new List<Item> ();
	public void Add (Item part) { parts.Add (part); }
	public override double Price ()
	{
		double sum = 0;
		foreach (Item part in parts)
			sum += part.Price ();
		return Discount.Of (sum, parts.Count);
	}
}

static class Discount {
	// Deliberately deep: one frame a part, so that call trees have something to show.
	public static double Of (double sum, int parts)
	{
		return parts == 0 ? sum : Of (sum * 0.99, parts - 1);
	}
}

static class OrderFactory {
	public static Item Make (Random random) { return Fill (new Bundle (), random, 4); }

	static Bundle Fill (Bundle into, Random random, int depth)
	{
		for (int i = 0; i < 3; i++)
			into.Add (depth > 0 && i == 0 ? Fill (new Bundle (), random, depth - 1) : Leaf (random));
		return into;
	}

	static Item Leaf (Random random)
	{
		switch (random.Next (3)) {
		case 0: return new Book ("volume " + random.Next (1000), random.Next (900));
		case 1: return new Record ();
		default: return new Lamp ();
		}
	}
}

// ---- the ledger everybody waits for

class Ledger {
	readonly object gate = new object ();
	double total;
	public int Orders;

	public void Book (double price)
	{
		lock (gate) {
			Orders++;
			total += Round (price);
		}
	}

	// Slow on purpose, and inside the lock.
	static double Round (double price)
	{
		double r = price;
		for (int i = 0; i < 20000; i++)
			r = r * 0.5 + Math.Floor (price) * 0.5;
		return r;
	}
}

// ---- exceptions

class BadLineException : Exception {
	public BadLineException (string line, Exception cause) : base ("cannot read " + line, cause) {}
}

static class Importer {
	public static int Rejected;

	public static void Accept (string line)
	{
		try {
			Parse (line);
		} catch (BadLineException) {
			Rejected++;
		}
	}

	static int Parse (string line)
	{
		try {
			return int.Parse (line.Substring (line.IndexOf ('=') + 1));
		} catch (FormatException e) {
			throw new BadLineException (line, e);
		}
	}
}

// ---- the leak

class Customer {
	public readonly string Name;
	public readonly Address Address = new Address ();
	public readonly List<string> Orders = new List<string> { "first" };
	public Customer (int id) { Name = "customer " + id; }
}

class Address {
	public readonly byte [] Photo = new byte [1500];
}

class CustomerCache {
	readonly Dictionary<int, Customer> known = new Dictionary<int, Customer> ();
	public int Count { get { return known.Count; } }
	public void Add (int id) { known [id] = new Customer (id); }
}

// ---- finalizers

class ScratchFile {
	public static int Finalized;
	readonly StringBuilder content = new StringBuilder (64);
	~ScratchFile ()
	{
		Interlocked.Increment (ref Finalized);
		content.Clear ();
	}
}

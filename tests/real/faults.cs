/* SPDX-License-Identifier: MIT */
// A shop with one fault planted: `faults.exe FAULT SECONDS`. All of them do the same healthy work beside it.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Threading;

class Customer { public byte[] Photo = new byte[900]; public int Number; }

static class CustomerCache
{
	static readonly List<Customer> all = new List<Customer>();
	public static void Keep(int n) { all.Add(new Customer { Number = n }); }
}

class OrderNotFound : Exception { public OrderNotFound(int n) : base("order " + n) { } }

class Ledger { public long Sum; }

class Upload
{
	~Upload() { if (Program.Running) Thread.Sleep(120); } /* Mono runs all that are left at its end */
}

static class Prices
{
	public static readonly int Base = int.Parse(Environment.GetEnvironmentVariable("NO_SUCH_PRICE") ?? "none");
}

static class Program
{
	static readonly Stopwatch clock = Stopwatch.StartNew();
	static double seconds;
	static object sink;
	static long total;

	struct Span { public long s, ns; }

	[System.Runtime.InteropServices.DllImport("libc")] static extern int clock_gettime(int clock, out Span t);

	// Those that compute all the time do so for processor time: what they do is counted, and others use the machine, too.
	static bool busy;

	static double Used()
	{
		Span t;
		clock_gettime(2, out t);
		return t.s + t.ns / 1e9;
	}

	// When the fault begins: what comes before it takes long where others use the machine.
	static double began, usedBefore;

	static void Begin() { began = clock.Elapsed.TotalSeconds; usedBefore = Used(); }

	internal static bool Running { get { return clock.Elapsed.TotalSeconds - began < seconds || busy && Used() - usedBefore < seconds; } }

	// Some allocation that dies young, some computing, some rest.
	static void Work()
	{
		for (int i = 0; i < 200; i++) {
			var order = new Customer[4];
			order[i & 3] = new Customer { Number = i };
			sink = order;
			for (int k = 0; k < 2000; k++)
				total += k ^ i;
		}
		Thread.Sleep(1);
	}

	static void Leak()
	{
		for (int n = 0; Running; Work())
			for (int i = 0; i < 100; i++)
				CustomerCache.Keep(n++);
	}

	// Kept, but no more of it.
	static void Holder()
	{
		for (int n = 0; n < 4000; n++)
			CustomerCache.Keep(n);
		Healthy();
	}

	static readonly List<string> countries = new List<string>();

	static void Duplicates()
	{
		for (int n = 0; n < 40000; n++)
			countries.Add(new StringBuilder("country: ").Append(n % 20).ToString());
		seconds += 3 * clock.Elapsed.TotalSeconds; /* filling is the smaller part, however slow the machine is */
		Healthy();
	}

	static readonly object[] old = new object[40000];

	static void FullCollections()
	{
		for (int i = 0; i < old.Length; i++)
			old[i] = new Customer();
		Begin();
		for (; Running; Work())
			GC.Collect();
	}

	/* Every collection is of the whole heap, and frees most of it. */
	static void Medium()
	{
		Node kept = Tree(16);
#if NET
		const int Size = 80000; /* small enough for the youngest generation, which tells of its size */
#else
		const int Size = 1 << 20;
#endif
		var passing = new byte[Size < 1 << 20 ? 50 : 20][];
		for (; Running; GC.Collect()) {
			for (int i = 0; i < passing.Length; i++)
				passing[i] = new byte[Size];
			Array.Clear(passing, 0, passing.Length);
		}
		GC.KeepAlive(kept);
	}

	/* One array reaches objects all over memory: a collection computes for long, and no other one does. */
	static void Graph()
	{
		const int Objects = 1 << 20, Ways = 1 << 26;
		var all = new object[Objects];
		for (int i = 0; i < Objects; i++)
			all[i] = new Ledger();
		var way = new object[Ways];
		uint at = 1;
		for (int i = 0; i < Ways; i++)
			way[i] = all[(at = at * 1664525 + 1013904223) >> 12];
		GC.Collect();
		GC.KeepAlive(way);
		all = way = null;
		Begin();
		Healthy();
	}

#if NET
	// As the SQL client's own source, which no plain SDK has.
	[System.Diagnostics.Tracing.EventSource(Name = "Microsoft.Data.SqlClient.EventSource")]
	class Sql : System.Diagnostics.Tracing.EventSource
	{
		public static class Keywords { public const System.Diagnostics.Tracing.EventKeywords Execution = (System.Diagnostics.Tracing.EventKeywords)1; }
		public static readonly Sql Log = new Sql();
		[System.Diagnostics.Tracing.Event(1, Keywords = Keywords.Execution)]
		public void BeginExecute(int id, string server, string base_, string text) { WriteEvent(1, id, server, base_, text); }
		[System.Diagnostics.Tracing.Event(2, Keywords = Keywords.Execution)]
		public void EndExecute(int id, int state, int error) { WriteEvent(2, id, state, error); }
	}

	/* Each order is asked for, and then each of its lines. */
	static void Asking()
	{
		for (int n = 1; Running; Work()) {
			int order = n++;
			Sql.Log.BeginExecute(order, "server", "shop", "exec LastOrder");
			for (int i = 0; i < 60; i++) {
				Sql.Log.BeginExecute(n, "server", "shop", "select from OrderLine where Id = @id");
				Sql.Log.EndExecute(n++, 1, 0);
			}
			Sql.Log.EndExecute(order, 1, 0);
		}
	}
#else
	static void Asking() { }
#endif

	class Node { public Node Left, Right; }

	static Node Tree(int depth)
	{
		return depth == 0 ? null : new Node { Left = Tree(depth - 1), Right = Tree(depth - 1) };
	}

	/* All that is made lives on for a while: each collection has much to copy and to trace. */
	static void Survivors(int several)
	{
		var trees = new Node[several];
		for (int n = 0; Running; n++)
			trees[n % trees.Length] = Tree(15);
		sink = trees;
	}

	/* While the heap grows all of it is alive; the nursery is a small part of it. */
	static void Growing()
	{
		var kept = new Node[80];
		for (int n = 0; n < kept.Length; n++)
			kept[n] = Tree(15);
		while (Running) {
			var more = new Node[64];
			sink = new[] { kept, more };
			for (int n = 0; n < more.Length && Running; n++)
				more[n] = Tree(15);
		}
	}

	/* Code that is made again and again, and never cached. */
	static void Generated()
	{
		for (int n = 0; Running; Thread.Sleep(1))
			for (int i = 0; i < 2; i++) {
				var made = new System.Reflection.Emit.DynamicMethod("Rule" + n, typeof(int), Type.EmptyTypes, typeof(Ledger));
				var il = made.GetILGenerator();
				il.Emit(System.Reflection.Emit.OpCodes.Ldc_I4, n++);
				il.Emit(System.Reflection.Emit.OpCodes.Ret);
				total += ((Func<int>)made.CreateDelegate(typeof(Func<int>)))();
			}
	}

	[System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
	static int Ask() { return System.Threading.Tasks.Task.Delay(20).ContinueWith(t => 1).Result; }

	static void Blocked()
	{
		var threads = new Thread[6];
		for (int i = 0; i < threads.Length; i++) {
			threads[i] = new Thread(() => {
				while (Running)
					total += Ask();
			});
			threads[i].Start();
		}
		foreach (var t in threads)
			t.Join();
	}

	/* More is left after each collection of the whole heap. */
	static void Rising()
	{
		for (int n = 0; Running; GC.Collect()) {
			for (int i = 0; i < 2000; i++)
				CustomerCache.Keep(n++);
			Thread.Sleep(200);
		}
	}

	/* Some live on for a while, so that collecting costs something on any machine. */
	static void Strings()
	{
		var kept = new string[4096];
		for (int n = 0; Running;) {
			string s = "";
			for (int i = 0; i < 400; i++) {
				s += "item " + i + ";";
				if (i % 5 == 0)
					kept[n++ % kept.Length] = s;
			}
			sink = s;
		}
	}

	static void Boxing()
	{
		while (Running) {
			var list = new System.Collections.ArrayList(50000);
			for (int i = 0; i < 50000; i++)
				list.Add(i);
			sink = list;
		}
	}

	static void Closures()
	{
		while (Running) {
			var list = new List<Func<int>>(20000);
			for (int i = 0; i < 20000; i++) {
				int n = i;
				list.Add(() => n + 1);
			}
			sink = list;
		}
	}

	static void Resizing()
	{
		while (Running) {
			var list = new List<long>();
			for (int i = 0; i < 100000; i++)
				list.Add(i);
			sink = list;
		}
	}

	static void LargeObjects()
	{
		while (Running)
			for (int i = 0; i < 20; i++)
				sink = new byte[1 << 20];
	}

	static int Find(int n)
	{
		if ((n & 1) == 1)
			throw new OrderNotFound(n);
		return n;
	}

	static void Exceptions()
	{
		for (int n = 0; Running || n < 4000; Work())
			for (int i = 0; i < 10; i++)
				try { total += Find(n++); } catch (OrderNotFound) { }
	}

	[System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
	static int Price() { return Prices.Base; }

	// It catches what it throws, but for the last one.
	static void Unhandled()
	{
		for (int n = 0; Running; n++) {
			Work();
			if (n % 50 == 0)
				try { total += Find(n); } catch (OrderNotFound) { }
		}
		total += Find(4711);
	}

	static void TypeInit()
	{
		for (; Running; Work())
			try { total += Price(); } catch (TypeInitializationException) { }
	}

	static void Locks()
	{
		var ledger = new Ledger();
		var threads = new Thread[4];
		for (int i = 0; i < threads.Length; i++) {
			threads[i] = new Thread(() => {
				while (Running)
					lock (ledger) {
						ledger.Sum++;
						Thread.Sleep(2);
					}
			});
			threads[i].Start();
		}
		foreach (var t in threads)
			t.Join();
	}

	// Each thread has one lock and waits for the other's, to the end.
	static void Deadlock()
	{
		var locks = new[] { new Ledger(), new Ledger() };
		var there = new Barrier(2);
		for (int i = 0; i < 2; i++) {
			object mine = locks[i], others = locks[1 - i];
			new Thread(() => {
				lock (mine) {
					there.SignalAndWait();
					lock (others)
						total++;
				}
			}) { IsBackground = true }.Start();
		}
		while (Running)
			Thread.Sleep(10);
	}

	static void Finalizers()
	{
		for (; Running; Work())
			new Upload();
	}

	static void Threads()
	{
		for (int n = 0; Running || n < 600; n++) {
			var t = new Thread(() => total++);
			t.Start();
			t.Join();
			Work();
		}
	}

	/* Work that waits: the pool has a thread more every second or so, and far too few. */
	static void Pool()
	{
		for (; Running; Thread.Sleep(10))
			ThreadPool.QueueUserWorkItem(_ => Thread.Sleep(1000));
	}

	static void Handles()
	{
		for (; Running; Work())
			for (int i = 0; i < 200; i++)
				sink = System.Runtime.InteropServices.GCHandle.Alloc(new Customer());
	}

	static void Hot()
	{
		while (Running)
			Spin();
	}

	static void Spin()
	{
		for (int i = 0; i < 1000000; i++)
			total += i ^ (total >> 3);
	}

	static void Healthy()
	{
		while (Running)
			Work();
	}

	/* Some of each thing that the rules look at, as much as a program has that is well. */
	class Session : IDisposable
	{
		public readonly string Name;
		public readonly byte[] Data = new byte[2000];
		bool open = true;
		public Session(int n) { Name = "session " + n.ToString(); }
		~Session() { open = false; }
		public void Dispose() { if (open) { open = false; GC.SuppressFinalize(this); } }
	}

	static Func<int, bool> Below(int limit) { return x => x < limit; }

	static void Serve(Queue<Session> recent, Dictionary<int, string> names, object gate, int n)
	{
		const int Kept = 500;
		recent.Enqueue(new Session(n));
		if (recent.Count > Kept)
			recent.Dequeue().Dispose();
		if (n % 20 == 0)
			lock (gate)
				names[n % 500] = "name " + (n % 500).ToString();
		var line = new StringBuilder(200);
		foreach (int key in new List<int>(names.Keys).GetRange(0, Math.Min(20, names.Count)))
			line.Append(names[key]).Append(',');
		total += line.Length;
		if (n % 50 == 0)
			total += Below(n)(n - 1) ? 1 : 0;
		if (n % 5000 == 0)
			try { total += Find(1); } catch (OrderNotFound) { }
	}

	static void Busy()
	{
		var names = new Dictionary<int, string>();
		object gate = names;
		var threads = new Thread[3];
		for (int i = 0; i < threads.Length; i++) {
			int first = i * 1000000;
			threads[i] = new Thread(() => {
				var recent = new Queue<Session>();
				var own = new Dictionary<int, string>();
				for (int n = first; Running; n++) {
					Serve(recent, own, gate, n);
					for (int k = 0; k < 60000; k++)
						total += k ^ n;
					if (n % 5 == 0)
						Thread.Sleep(5);
					if (n % 100 == 0)
						ThreadPool.QueueUserWorkItem(_ => total++);
				}
			});
			threads[i].Start();
		}
		foreach (var t in threads)
			t.Join();
	}

	static int Main(string[] args)
	{
		seconds = double.Parse(args[1], System.Globalization.CultureInfo.InvariantCulture);
		var faults = new Dictionary<string, Action> {
			{ "leak", Leak }, { "static-holder", Holder }, { "duplicate-strings", Duplicates }, { "explicit-gc", FullCollections }, { "string-churn", Strings },
			{ "boxing", Boxing }, { "closures", Closures }, { "resizing", Resizing },
			{ "large-objects", LargeObjects }, { "exception-flow", Exceptions }, { "unhandled-exception", Unhandled },
			{ "type-init", TypeInit }, { "lock-contention", Locks }, { "deadlock", Deadlock }, { "finalizers", Finalizers },
			{ "pool-starvation", Pool }, { "thread-burst", Threads }, { "handle-growth", Handles }, { "hot-method", Hot },
			{ "gc-time", () => Survivors(6) }, { "jit-heavy", Generated }, { "sync-over-async", Blocked },
			{ "rising-floor", Rising }, { "futile-collections", Growing },
			{ "full-collections", Medium }, { "long-pause", Graph }, { "n-plus-one", Asking }, { "losses", Boxing },
			{ "healthy", Healthy }, { "busy", Busy },
		};
		busy = Array.IndexOf(new[] { "string-churn", "boxing", "closures", "resizing", "large-objects", "hot-method", "gc-time", "futile-collections", "full-collections" }, args[0]) >= 0;
		faults[args[0]]();
		GC.KeepAlive(sink);
		return 0;
	}
}

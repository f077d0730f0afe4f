// A shop with an answer planted for each question that the recipes of profview(1) ask.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Threading;

class OrderNotFound : Exception { public OrderNotFound(int n) : base("order " + n) { } }

class Session { public long User; public decimal A, B, C, D, E, F, G, H; }

static class SessionCache
{
	static readonly List<Session> all = new List<Session>();
	public static void Remember(int user) { all.Add(new Session { User = user }); }
}

static class Pricing
{
	// What is hot.
	public static long Discount(int basket)
	{
		long sum = basket;
		for (int i = 0; i < 4000000; i++)
			sum = sum * 31 + (i ^ basket);
		return sum;
	}
}

static class Checkout
{
	// Who calls it.
	public static long Pay(int basket) { return Pricing.Discount(basket); }
}

static class Invoice
{
	public static int Print(int number)
	{
		string text = "";
		for (int line = 0; line < 12; line++)
			text += "invoice " + number + ", line " + line + "\n";
		return text.Length;
	}
}

static class Orders
{
	public static void Find(int number) { throw new OrderNotFound(number); }

	public static bool Has(int number)
	{
		try {
			Find(number);
		} catch (OrderNotFound) {
			return false;
		}
		return true;
	}
}

class Ledger
{
	public static readonly Ledger Open = new Ledger();

	// Holds the books for long, again and again.
	public static void Audit()
	{
		lock (Open)
			Thread.Sleep(180);
	}

	public static void Book()
	{
		lock (Open)
			Program.Total++;
	}
}

static class NightShift
{
	public static void CountStock() { Program.Spin(980); }
}

static class Rush
{
	// A burst of a fifth of a second.
	public static void Sell() { Program.Spin(200); }
}

static class Report
{
	static readonly List<byte[]> pages = new List<byte[]>();

	// Much that lives, then a collection of all of it.
	public static void Build()
	{
		for (int i = 0; i < 40000; i++)
			pages.Add(new byte[1000]);
		GC.Collect();
		pages.Clear();
	}
}

static class Program
{
	public static long Total;
	static readonly Stopwatch clock = Stopwatch.StartNew();
	const double Seconds = 6;

	static bool Running { get { return clock.Elapsed.TotalSeconds < Seconds; } }

	static void Until(double second)
	{
		int left = (int)((second - clock.Elapsed.TotalSeconds) * 1000);
		if (left > 0)
			Thread.Sleep(left);
	}

	public static void Spin(int ms)
	{
		for (var own = Stopwatch.StartNew(); own.ElapsedMilliseconds < ms; )
			for (int k = 0; k < 1000; k++)
				Total += k;
	}

	static void Clerk()
	{
		for (int n = 0; Running; n++) {
			Total += Checkout.Pay(n);
			Total += Invoice.Print(n);
			for (int i = 0; i < 40; i++)
				SessionCache.Remember(n);
			for (int i = 0; i < 3; i++)
				Orders.Has(n);
			Thread.Sleep(4);
		}
	}

	static void Auditor()
	{
		while (Running) {
			Ledger.Audit();
			Thread.Sleep(220);
		}
	}

	static void Cashier()
	{
		while (Running) {
			Ledger.Book();
			Thread.Sleep(20);
		}
	}

	static void Night() { Until(3); NightShift.CountStock(); Until(Seconds); }

	static void Seller() { Until(1.2); Rush.Sell(); Until(Seconds); }

	static void Main()
	{
		var all = new List<Thread>();
		foreach (var one in new[] { new { Name = "clerk", Does = (ThreadStart)Clerk },
				new { Name = "auditor", Does = (ThreadStart)Auditor },
				new { Name = "cashier", Does = (ThreadStart)Cashier },
				new { Name = "night", Does = (ThreadStart)Night },
				new { Name = "seller", Does = (ThreadStart)Seller } }) {
			var thread = new Thread(one.Does) { Name = one.Name };
			thread.Start();
			all.Add(thread);
		}
		for (double at = 0.9; at < 4; at += 0.9) {
			Until(at);
			GC.Collect();
		}
		Until(4.6);
		Report.Build();
		foreach (var thread in all)
			thread.Join();
	}
}

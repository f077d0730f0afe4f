/* SPDX-License-Identifier: MIT */
// A shop with an answer planted for each question that the recipes of profview-keys(7) ask.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

class OrderNotFound : Exception { public OrderNotFound(int n) : base("order " + n) { } }

class Session { public long User; public decimal A, B, C, D, E, F, G, H; }

// Keeps every session.
static class SessionCache
{
	static readonly List<Session> all = new List<Session>();
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Remember(int user) { all.Add(new Session { User = user }); }
}

// What is hot, and who calls it.
static class Pricing
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static long Discount(int basket)
	{
		long sum = basket;
		for (int i = 0; i < 5000000; i++)
			sum = sum * 31 + (i ^ basket);
		return sum;
	}
}

static class Checkout
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static long Pay(int basket) { return Pricing.Discount(basket); }
}

// Makes most of the strings.
static class Invoice
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static int Print(int number)
	{
		string text = "";
		for (int line = 0; line < 12; line++)
			text += "invoice " + number + ", line " + line + "\n";
		return text.Length;
	}
}

// Throws.
static class Orders
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Find(int number) { throw new OrderNotFound(number); }

	[MethodImpl(MethodImplOptions.NoInlining)]
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

// A lock that the auditor holds for long, again and again.
class Ledger
{
	public static readonly Ledger Books = new Ledger();
	public long Sum;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Audit()
	{
		var own = Stopwatch.StartNew();
		lock (Books)
			while (own.ElapsedMilliseconds < 70)
				for (int k = 0; k < 20000; k++)
					Books.Sum += k;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Book()
	{
		lock (Books)
			Books.Sum++;
	}
}

// Runs from 3 to 4 s.
static class NightShift
{
	static long sum;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void CountStock()
	{
		for (var own = Stopwatch.StartNew(); own.ElapsedMilliseconds < 980; )
			for (int k = 0; k < 20000; k++)
				sum += k;
	}
}

// A burst of a fifth of a second, from 1.2 s on.
static class Rush
{
	static long sum;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Sell()
	{
		for (var own = Stopwatch.StartNew(); own.ElapsedMilliseconds < 200; )
			for (int k = 0; k < 20000; k++)
				sum += k;
	}
}

// Much to mark, at 4.6 s: the longest pause.
class Page { }

static class Report
{
	static object[][] index;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Build()
	{
		index = new object[30][];
		for (int i = 0; i < index.Length; i++) {
			index[i] = new object[500000];
			for (int k = 0; k < index[i].Length; k++)
				index[i][k] = k % 1000 == 0 ? new Page() : index[i][k - 1];
		}
		GC.Collect();
		index = null;
	}
}

static class Program
{
	const double Seconds = 6;
	static readonly Stopwatch clock = Stopwatch.StartNew();
	static long total;

	static bool Running { get { return clock.Elapsed.TotalSeconds < Seconds; } }

	static void Until(double second)
	{
		int left = (int)((second - clock.Elapsed.TotalSeconds) * 1000);
		if (left > 0)
			Thread.Sleep(left);
	}

	static void Clerk()
	{
		for (int n = 0; Running; n++) {
			total += Checkout.Pay(n);
			total += Invoice.Print(n);
			for (int i = 0; i < 40; i++)
				SessionCache.Remember(n);
			for (int i = 0; i < 3; i++)
				Orders.Has(n);
			Thread.Sleep(2);
		}
	}

	static void Auditor()
	{
		for (; Running; Thread.Sleep(250))
			Ledger.Audit();
	}

	static void Cashier()
	{
		for (; Running; Thread.Sleep(15))
			Ledger.Book();
	}

	static void Night() { Until(3); NightShift.CountStock(); Until(Seconds); }

	static void Seller() { Until(1.2); Rush.Sell(); Until(Seconds); }

	static Thread Start(string name, ThreadStart does)
	{
		var thread = new Thread(does) { Name = name };
		thread.Start();
		return thread;
	}

	static void Main()
	{
		Thread[] all = { Start("clerk", Clerk), Start("auditor", Auditor), Start("cashier", Cashier),
			Start("night", Night), Start("seller", Seller) };
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

/* SPDX-License-Identifier: MIT */
// Calls: plain, recursive, mutual, virtual, generic, deep, by several threads, unwound.
using System;
using System.Diagnostics;
using System.Threading;

namespace Counted {

interface IShape {
	int Area (int side);
}

class Square : IShape {
	public int Area (int side) { Calls.square++; return side * side; }
}

static class Calls {
	static int leaf, recurse, even, odd, generic, deep, thrower, middle, catcher;
	public static int square;

	public static void Run ()
	{
		leaf = recurse = even = odd = generic = deep = thrower = middle = catcher = square = 0;
		for (int i = 0; i < 500; i++)
			Leaf (i);
		Tally.InThreads (3, "caller-", Many);
		for (int i = 0; i < 10; i++)
			Recurse (50);
		Even (100);
		IShape shape = new Square ();
		for (int i = 0; i < 77; i++)
			shape.Area (i);
		for (int i = 0; i < 33; i++)
			Generic<int> (i);
		Deep (3000);
		for (int i = 0; i < 40; i++)
			Catcher (i);
		Count ();
	}

	static void Count ()
	{
		Tally.Add ("calls Counted.Calls:Leaf (int)", leaf);
		Tally.Add ("calls Counted.Calls:Recurse (int)", recurse);
		Tally.Add ("calls Counted.Calls:Even (int)", even);
		Tally.Add ("calls Counted.Calls:Odd (int)", odd);
		Tally.Add ("calls Counted.Calls:Generic<int> (int)", generic);
		Tally.Add ("calls Counted.Calls:Deep (int)", deep);
		Tally.Add ("calls Counted.Calls:Many ()", 3);
		Tally.Add ("calls Counted.Calls:Run ()", 1);
		Tally.Add ("calls Counted.Square:Area (int)", square);
		Tally.Add ("calls Counted.Calls:Catcher (int)", catcher);
		Tally.Add ("calls Counted.Calls:Middle (int)", middle);
		Tally.Add ("calls Counted.Calls:Thrower (int)", thrower);
		Tally.Add ("unwound Counted.Calls:Middle (int)", middle);
		Tally.Add ("unwound Counted.Calls:Thrower (int)", thrower);
		Tally.Add ("unwound Counted.Calls:Catcher (int)", 0);
		Tally.Add ("throws System.InvalidOperationException", thrower);
		Tally.Add ("throws total", thrower);
	}

	static void Many ()
	{
		for (int i = 0; i < 4000; i++)
			Leaf (i);
	}

	public static void Flood ()
	{
		for (int i = 0; i < 4000000; i++)
			Drop (i);
		Tally.Add ("calls Counted.Calls:Drop (int)", 4000000);
		Tally.Add ("calls Counted.Calls:Flood ()", 1);
	}

	static void Drop (int i) {}

	static void Leaf (int i) { Interlocked.Increment (ref leaf); }

	static int Recurse (int depth)
	{
		recurse++;
		return depth == 0 ? 0 : 1 + Recurse (depth - 1);
	}

	static bool Even (int n) { even++; return n == 0 || Odd (n - 1); }
	static bool Odd (int n) { odd++; return n != 0 && Even (n - 1); }

	static T Generic<T> (T value) { generic++; return value; }

	static int Deep (int n) { deep++; return n == 0 ? 0 : 1 + Deep (n - 1); }

	static void Catcher (int i)
	{
		catcher++;
		try {
			Middle (i);
		} catch (InvalidOperationException) {
		}
	}

	static void Middle (int i) { middle++; Thrower (i); }

	static void Thrower (int i)
	{
		thrower++;
		throw new InvalidOperationException ();
	}
}

// Time: what a call took lies between a clock read inside it and one around it.
static class Spin {
	static long inside;

	public static void Run ()
	{
		long around = 0;
		Nothing ();
		inside = 0;
		for (int ms = 1; ms <= 9; ms++) {
			long start = Stopwatch.GetTimestamp ();
			Busy (ms);
			around += Stopwatch.GetTimestamp () - start;
		}
		Tally.Add ("calls Counted.Spin:Busy (int)", 9);
		Tally.Add ("calls Counted.Spin:Nothing ()", 1);
		Tally.Add ("inside Counted.Spin:Busy (int)", Nanoseconds (inside));
		Tally.Add ("around Counted.Spin:Busy (int)", Nanoseconds (around));
	}

	static long Nanoseconds (long ticks) { return (long) (ticks * (1e9 / Stopwatch.Frequency)); }

	static void Nothing () {}

	static void Busy (int ms)
	{
		long start = Stopwatch.GetTimestamp (), now = start;
		while (now - start < Stopwatch.Frequency / 1000 * ms)
			now = Stopwatch.GetTimestamp ();
		inside += now - start;
	}
}

}

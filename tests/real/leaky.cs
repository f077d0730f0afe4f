/* SPDX-License-Identifier: MIT */
// A leak that a static field holds, a cache, and what only weak handles know. With words: for so many
// seconds at the same rate, `leaks` with one and `none` without; a full collection each 100 ms. With a third word
// until its input ends, if that is before.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

class Planted
{
	public byte[] Data = new byte[100];
	public Planted Next;
}

class Keeper
{
	public static List<Planted> Kept = new List<Planted> ();
	public static Dictionary<string, Planted> Cache = new Dictionary<string, Planted> ();
}

class Watched
{
	public int[] Numbers = new int[50];
}

class Leaky
{
	static void Leak (int n)
	{
		for (int i = 0; i < n; i++)
			Keeper.Kept.Add (new Planted ());
	}

	static void Fill (int n)
	{
		for (int i = 0; i < n; i++)
			Keeper.Cache["key " + i] = new Planted { Next = Keeper.Kept[i] };
	}

	static void Churn ()
	{
		for (int i = 0; i < 5000; i++)
			GC.KeepAlive (new object[i % 20]);
	}

	static Queue<Watched> recent = new Queue<Watched> ();
	static List<string> passing = new List<string> ();

	static Queue<Planted> flying = new Queue<Planted> ();

	// A millisecond's work: what stays, what is renewed, and what passes by, of the same class.
	static void Work (bool leaks, int n)
	{
		if (leaks)
			Leak (2);
		recent.Enqueue (new Watched ());
		if (recent.Count > 400)
			recent.Dequeue ();
		if (passing.Count > 20)
			passing.Clear ();
		passing.Add ("request " + n);
		for (int i = 0; i < 4; i++)
			flying.Enqueue (new Planted ());
		while (flying.Count > 1200)
			flying.Dequeue ();
	}

	static volatile bool ended;

	static void Run (bool leaks, double seconds)
	{
		var clock = System.Diagnostics.Stopwatch.StartNew ();
		for (int n = 0, due = 0; clock.Elapsed.TotalSeconds < seconds && !ended; System.Threading.Thread.Sleep (5)) {
			// On a machine too slow for the rate it must not run after it for ever.
			for (int most = n + 50; n < clock.ElapsedMilliseconds && n < most; n++)
				Work (leaks, n);
			if (clock.ElapsedMilliseconds < due)
				continue;
			GC.Collect ();
			due = (int)clock.ElapsedMilliseconds + 100;
		}
	}

	static void Main (string[] words)
	{
		if (words.Length == 3)
			new System.Threading.Thread (() => { Console.In.ReadToEnd (); ended = true; }) { IsBackground = true }.Start ();
		if (words.Length >= 2) {
			Run (words[0] == "leaks", double.Parse (words[1]));
			return;
		}
		Leak (1000);
		Churn ();
		GC.Collect ();
		Leak (1000);
		Fill (200);
		Churn ();
		GC.Collect ();
		Leak (1000);
		GC.Collect ();
		Console.WriteLine ("kept " + Keeper.Kept.Count);
		Console.WriteLine ("cached " + Keeper.Cache.Count);
	}
}

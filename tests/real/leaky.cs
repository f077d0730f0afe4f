// A leak that a static field holds, a cache, and what only weak handles know.
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

	static void Main ()
	{
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

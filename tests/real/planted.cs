/* SPDX-License-Identifier: MIT */
/*
 * A leak, a cache, a warm-up and churn, planted: at every round's end a major collection takes a
 * heap shot.
 *
 *	made CLASS NUMBER      objects of it that were made in all
 *	alive CLASS NUMBER     and that are alive at the end
 */
using System;
using System.Collections.Generic;

class Leaked { public long a, b, c, d, e, f; public Leaked next; }
class Cached { public long a, b, c, d, e, f, g; }
class Warm { public long a, b, c, d, e, f; }
class Churned { public long a, b, c, d; }

class Registry { public static Leaked last; } /* which nobody ever empties */

class Planted {
	const int Rounds = 8, PerRound = 2000, CacheSize = 3000, Warmed = 20000;
	static Queue<Cached> cache = new Queue<Cached> ();
	static List<Warm> warm = new List<Warm> ();
	static int leaked, cached, churned;

	static void Leak ()
	{
		Registry.last = new Leaked { next = Registry.last };
		leaked++;
	}

	static void Remember ()
	{
		cache.Enqueue (new Cached ());
		cached++;
		if (cache.Count > CacheSize)
			cache.Dequeue ();
	}

	static void WarmUp ()
	{
		while (warm.Count < Warmed)
			warm.Add (new Warm ());
	}

	static object Churn ()
	{
		churned++;
		return new Churned ();
	}

	static void Main ()
	{
		object last = null;
		for (int round = 0; round < Rounds; round++) {
			if (round == 2)
				WarmUp ();
			for (int i = 0; i < PerRound; i++) {
				Leak ();
				Remember ();
				for (int k = 0; k < 10; k++)
					last = Churn ();
			}
			GC.Collect ();
		}
		GC.KeepAlive (last);
		Console.WriteLine ("made Leaked {0}\nalive Leaked {0}", leaked);
		Console.WriteLine ("made Cached {0}\nalive Cached {1}", cached, cache.Count);
		Console.WriteLine ("made Warm {0}\nalive Warm {0}", warm.Count);
		Console.WriteLine ("made Churned {0}", churned);
	}
}

/* SPDX-License-Identifier: MIT */
/* The work of fixed.c in C#: with CHANGED one method takes twice as long, one class is never let go
 * of, and one site makes nothing. */
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

class Kept { public long a, b, c, d; }
class Passing { public long a, b; }

class Fixed {
	const int Work = 1100000;
#if CHANGED
	const int Slow = 2;
	const bool Leaks = true, Gone = false;
#else
	const int Slow = 1;
	const bool Leaks = false, Gone = true;
#endif
	static ulong sink;
	static List<Kept> kept = new List<Kept> (20000);
	static object last;

	[MethodImpl (MethodImplOptions.NoInlining)] static void Step0 () { ulong x = 1; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step1 () { ulong x = 2; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step2 () { ulong x = 3; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step3 () { ulong x = 4; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step4 () { ulong x = 5; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step5 () { ulong x = 6; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step6 () { ulong x = 7; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step7 () { ulong x = 8; for (int i = 0; i < Slow * Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step8 () { ulong x = 9; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step9 () { ulong x = 10; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step10 () { ulong x = 11; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step11 () { ulong x = 12; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step12 () { ulong x = 13; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step13 () { ulong x = 14; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step14 () { ulong x = 15; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step15 () { ulong x = 16; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step16 () { ulong x = 17; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step17 () { ulong x = 18; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step18 () { ulong x = 19; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void Step19 () { ulong x = 20; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }

	static void Keep ()
	{
		Kept k = new Kept ();
		if (Leaks)
			kept.Add (k);
		else
			last = k;
	}

	[MethodImpl (MethodImplOptions.NoInlining)] static void Here () { last = new Passing (); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void There () { if (Gone) last = new Passing (); }

	/* How many rounds; 150 */
	static void Main (string[] words)
	{
		int rounds = words.Length > 0 ? int.Parse (words[0]) : 150;
		for (int round = 0; round < rounds; round++) {
			Step0 (); Step1 (); Step2 (); Step3 (); Step4 ();
			Step5 (); Step6 (); Step7 (); Step8 (); Step9 ();
			Step10 (); Step11 (); Step12 (); Step13 (); Step14 ();
			Step15 (); Step16 (); Step17 (); Step18 (); Step19 ();
			for (int i = 0; i < 100; i++) {
				Keep ();
				Here ();
				There ();
			}
		}
		last = null;
		GC.Collect ();
	}
}

/* What fixed.c does, in C#: with CHANGED one method takes twice as long, one class is never let go
 * of, and one site makes nothing. */
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

class Kept { public long a, b, c, d; }
class Passing { public long a, b; }

class Fixed {
	const int Rounds = 100, Work = 1500000;
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

	[MethodImpl (MethodImplOptions.NoInlining)] static void A () { ulong x = 1; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void B () { ulong x = 2; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void C () { ulong x = 3; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void D () { ulong x = 4; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void E () { ulong x = 5; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void F () { ulong x = 6; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void G () { ulong x = 7; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void H () { ulong x = 8; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void I () { ulong x = 9; for (int i = 0; i < Work; i++) x = x * 6364136223846793005 + 1; sink += x; }
	[MethodImpl (MethodImplOptions.NoInlining)] static void J () { ulong x = 1; for (int i = 0; i < Slow * Work; i++) x = x * 6364136223846793005 + 1; sink += x; }

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

	static void Main ()
	{
		for (int round = 0; round < Rounds; round++) {
			A (); B (); C (); D (); E (); F (); G (); H (); I (); J ();
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

/* SPDX-License-Identifier: MIT */
/*
 * Objects whose addresses are known at every heap shot (major collections take them): each round
 * makes some, drops some at random, and tells where every one that is alive stands now, so that it
 * is known which object is which although they move and addresses are used again.
 *
 *	at SHOT NUMBER ADDRESS     the object made as the NUMBERth, at the shot
 *	made METHOD NUMBER NUMBER  from, to: made by this method
 */
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

class Tracked {
	public long number;
	public object tail; /* of odd ones: some garbage between them, so that addresses differ */
	public Tracked (long n) { number = n; if (n % 3 == 0) tail = new byte [n % 40]; }
}

class Moving {
	const int Rounds = 8, PerRound = 400;
	static List<Tracked> alive = new List<Tracked> (Rounds * PerRound);
	static long made;
	static long [] places = new long [Rounds * Rounds * PerRound * 3];
	static int n;
	static StringBuilder said = new StringBuilder ();

	static void Fill () { for (int i = 0; i < PerRound / 2; i++) alive.Add (new Tracked (made++)); }
	static void FillMore () { for (int i = 0; i < PerRound / 2; i++) alive.Add (new Tracked (made++)); }

	static unsafe long AddressOf (object o)
	{
		TypedReference r = __makeref (o); /* Mono's: type, place of `o`, class */
		return (long) *(IntPtr *) ((IntPtr *) &r) [1];
	}

	/* The nursery is used up a few times over: what lives there moves, and its addresses return. */
	static object Churn (int seed)
	{
		object last = null;
		for (int i = 0; i < 12000; i++)
			last = new Tracked (-1 - (seed + i) % 2);
		return last;
	}

	static void Drop (Random random)
	{
		for (int i = alive.Count - 1; i >= 0; i--)
			if (random.Next (100) < 30)
				alive.RemoveAt (i);
	}

	static void TellPlaces (int shot)
	{
		for (int i = 0; i < alive.Count; i++) {
			places [n++] = shot;
			places [n++] = alive [i].number;
			places [n++] = AddressOf (alive [i]);
		}
	}

	/* Fresh objects that the stack holds by address cannot move now; later they will. */
	static unsafe void FillPinned (long *stack, int count)
	{
		for (int i = 0; i < count; i++) {
			Tracked t = new Tracked (made++);
			stack [i] = AddressOf (t);
			alive.Add (t);
		}
	}

	static unsafe void Main ()
	{
		long *stack = stackalloc long [32];
		Random random = new Random (42);
		for (int round = 0; round < Rounds; round++) {
			long first = made;
			Fill ();
			said.AppendFormat ("made Fill {0} {1}\n", first, made);
			Thread other = new Thread (() => Churn (round));
			other.Start ();
			Churn (round + 7);
			first = made;
			FillMore ();
			said.AppendFormat ("made FillMore {0} {1}\n", first, made);
			Churn (round);
			other.Join ();
			Drop (random);
			first = made;
			FillPinned (stack, 32);
			said.AppendFormat ("made FillPinned {0} {1}\n", first, made);
			GC.Collect (); /* takes the shot */
			TellPlaces (round);
		}
		Console.Write (said);
		for (int i = 0; i < n; i += 3)
			Console.WriteLine ("at {0} {1} 0x{2:x}", places [i], places [i + 1], places [i + 2]);
	}
}

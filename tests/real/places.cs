/* SPDX-License-Identifier: MIT */
// Handles of every type, finalizers and a domain: prints what it did, a figure a line.
using System;
using System.Runtime.InteropServices;

class Mortal {
	public static int Finalized;
	~Mortal () { System.Threading.Interlocked.Increment (ref Finalized); }
}

class Held { public object A; }

static class Places {
	static void Make (GCHandleType type, int n)
	{
		for (int i = 0; i < n; i++)
			GCHandle.Alloc (type == GCHandleType.Pinned ? (object) new byte [8] : new Held (),
				type);
	}

	static void MakeAndFree (int n)
	{
		for (int i = 0; i < n; i++)
			GCHandle.Alloc (new byte [8], GCHandleType.Pinned).Free ();
	}

	static void Die (int n)
	{
		for (int i = 0; i < n; i++)
			new Mortal ();
	}

	static void Main ()
	{
		Make (GCHandleType.Normal, 5);
		Console.WriteLine ("alive Normal 5");
		Make (GCHandleType.Pinned, 7);
		Console.WriteLine ("alive Pinned 7");
		Make (GCHandleType.Weak, 11);
		Console.WriteLine ("alive Weak 11");
		Make (GCHandleType.WeakTrackResurrection, 13);
		Console.WriteLine ("alive WeakTrackResurrection 13");
		MakeAndFree (17);
		Console.WriteLine ("freed Pinned 17");
		var thread = new System.Threading.Thread (() => Die (40));
		thread.Start ();
		thread.Join ();
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		var domain = AppDomain.CreateDomain ("second");
		AppDomain.Unload (domain);
		Console.WriteLine ("finalized Mortal " + Mortal.Finalized);
		Console.WriteLine ("domain second 1");
	}
}

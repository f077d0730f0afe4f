/* SPDX-License-Identifier: MIT */
// Throws exceptions that known methods catch: 100 in One, 25 in Outer while another was thrown and caught, 125 in Two,
// and 10 in Passes, which throws them again to be caught in Last.
using System;

class NotHere : Exception
{
	public NotHere (string s) : base (s) { }
}

class Garbled : Exception { }

class Lost : Exception { }

static class Thrown
{
	static int Find (int i)
	{
		throw new NotHere ("no order " + i);
	}

	static int Read (int i)
	{
		throw new Garbled ();
	}

	static int One (int i)
	{
		try {
			return Find (i);
		} catch (NotHere) {
			return 0;
		}
	}

	static int Two (int i)
	{
		try {
			return Read (i);
		} catch (Garbled) {
			return 1;
		}
	}

	static int Outer (int i)
	{
		try {
			try {
				return Find (i);
			} finally {
				Two (i);
			}
		} catch (Exception) {
			return 2;
		}
	}

	static int Lose (int i)
	{
		throw new Lost ();
	}

	static int Passes (int i)
	{
		try {
			return Lose (i);
		} catch (Lost) {
			throw;
		}
	}

	static int Last (int i)
	{
		try {
			return Passes (i);
		} catch (Lost) {
			return 3;
		}
	}

	static void Main ()
	{
		for (int i = 0; i < 10; i++)
			Last (i);
		for (int i = 0; i < 100; i++) {
			One (i);
			Two (i);
			if (i % 4 == 0)
				Outer (i);
		}
	}
}

/* SPDX-License-Identifier: MIT */
// The program behind shop.mlpd.gz: a little of everything that a Mono log can hold.
using System;
using System.Collections.Generic;
using System.Threading;

class Item {
	public readonly byte [] Data;
	public Item (int size) { Data = new byte [size]; }
}

class Basket {
	readonly List<Item> items = new List<Item> ();
	public void Add (Item item) { items.Add (item); }
	public int Weigh () { int n = 0; foreach (Item i in items) n += i.Data.Length; return n; }
}

class OutOfStockException : Exception { }

class Shelf {
	static readonly object door = new object ();
	public static readonly List<Basket> Kept = new List<Basket> ();

	public static Item Take (int n)
	{
		lock (door) {
			if (n % 10 == 9)
				throw new OutOfStockException ();
			if (n % 5 == 0)
				Thread.Sleep (2);
			return new Item (64 + n % 7 * 16);
		}
	}
}

class Shop {
	static int Fib (int n) { return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }

	static void Serve (int customers)
	{
		for (int c = 0; c < customers; c++) {
			var basket = new Basket ();
			for (int n = 0; n < 20; n++) {
				try {
					basket.Add (Shelf.Take (n));
				} catch (OutOfStockException) {
					Fib (7);
				}
			}
			basket.Weigh ();
			if (c % 2 == 0)
				lock (Shelf.Kept)
					Shelf.Kept.Add (basket);
			Thread.Sleep (20);
		}
	}

	static void Main ()
	{
		var clerks = new List<Thread> ();
		foreach (string name in new [] { "anna", "boris" }) {
			var clerk = new Thread (() => Serve (40)) { Name = name };
			clerks.Add (clerk);
			clerk.Start ();
		}
		for (int i = 0; i < 3; i++) {
			Thread.Sleep (700);
			GC.Collect ();
		}
		foreach (Thread clerk in clerks)
			clerk.Join ();
	}
}

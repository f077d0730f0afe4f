/* SPDX-License-Identifier: MIT */
// As names.cs, as far as Mono's compiler knows the language.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Shop
{
	interface IHidden
	{
		void Secret();
	}

	class Box<T>
	{
		public async Task<T> Get(T x)
		{
			await Task.Yield();
			Func<T> captured = () => x;
			return captured();
		}

		public static T First<U>(T x, U y) { return x; }
	}

	class Tree<K>
	{
		public class Node<V>
		{
			public IEnumerable<V> Walk() { yield return default(V); }
		}
	}

	class Cart : IHidden
	{
		public int Total { get; set; }
		public int this[int i] { get { return i; } set { } }
		public static Cart operator +(Cart a, Cart b) { return a; }

		public async Task<decimal> TaxAsync(int x)
		{
			await Task.Yield();
			return x;
		}

		public IEnumerable<int> Items(int n)
		{
			for (int i = 0; i < n; i++)
				yield return i;
		}

		public void Lambdas()
		{
			int k = 3;
			Func<int> plain = () => 1, captured = () => k;
			Total = plain() + captured();
		}

		public async Task AsyncLambda()
		{
			Func<Task> inner = async () => { await Task.Yield(); };
			await inner();
		}

		public T Generic<T>(T v)
		{
			Func<T> captured = () => v;
			return captured();
		}

		public void Lists(Tuple<int, List<string>> x, ref int r, int[,] q, int? o) { }

		void IHidden.Secret()
		{
			Action a = () => { };
			a();
		}
	}

	static class Names
	{
		static void Main()
		{
			int r = 0;
			var cart = new Cart();
			cart.TaxAsync(1).Wait();
			cart.Items(2).Count();
			cart.Lambdas();
			cart.AsyncLambda().Wait();
			cart.Generic("x");
			cart.Generic(3);
			((IHidden)cart).Secret();
			cart[1] = cart.Total = cart[1];
			cart = cart + cart;
			cart.Lists(null, ref r, null, null);
			new Box<string>().Get("").Wait();
			new Box<int>().Get(3).Wait();
			Box<int>.First(2, "x");
			new Tree<int>.Node<string>().Walk().Count();
			new { A = 1 }.ToString();
		}
	}
}

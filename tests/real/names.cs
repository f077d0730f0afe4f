/* SPDX-License-Identifier: MIT */
// One of each construct that a C# compiler makes names of its own for. Runs each once.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Shop;

int top = args.Length;
int Local(int x) => x + top;
static int StaticLocal(int x) => x + 1;
Local(StaticLocal(2));
Enumerable.Range(0, 3).Select(x => x + top).Sum();
Func<Task> asynchronous = async () => { await Task.Yield(); };
await asynchronous();

var cart = new Cart("a");
await cart.TaxAsync(1);
foreach (var x in cart.Items(3)) { }
await foreach (var x in cart.Stream()) { }
cart.Lambdas();
cart.Nested();
await cart.Generic("x");
cart.Locals(3);
cart.Tuple((1, "x"));
cart.Optional(null);
cart[3] = cart.Total = cart[3];
cart.Changed += (s, e) => { };
cart = cart + cart;
string text = cart;
cart.Query(new[] { 1, 2, 3 }).Count();
IHidden hidden = cart;
hidden.Secret();
hidden.SecretProperty = 1;
await hidden.SecretAsync();
new { Name = "n", Size = 3 }.ToString();
new Point(1, 2).ToString();
var copy = new Record<int>(5) with { Value = 6 };
await new Box<string>().Get("");
foreach (var x in new Tree<string>.Node<int>().Walk()) { }
new Derived().Call();
Console.WriteLine(text);

namespace Shop
{
	interface IHidden
	{
		void Secret();
		int SecretProperty { get; set; }
		Task SecretAsync();
	}

	record struct Point(int X, int Y);
	record Record<T>(T Value);

	class Box<T>
	{
		public async Task<T> Get(T x)
		{
			await Task.Yield();
			Func<T> captured = () => x;
			return captured();
		}
	}

	class Tree<K>
	{
		public class Node<V>
		{
			public IEnumerable<(K, V)> Walk() { yield return default; }
		}
	}

	class Base
	{
		protected virtual Task<int> M() => Task.FromResult(1);
	}

	class Derived : Base
	{
		protected override async Task<int> M() => await base.M();
		public int Call() => M().Result;
	}

	class Cart : IHidden
	{
		static readonly Func<int> initial = () => 7;

		public Cart(string name)
		{
			Func<int> made = () => initial();
			made();
		}

		public int Total { get; set; }
		public int this[int i] { get => i; set { } }
		public event EventHandler Changed;
		public static Cart operator +(Cart a, Cart b) => a;
		public static implicit operator string(Cart a) => "ok";

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

		public async IAsyncEnumerable<int> Stream()
		{
			await Task.Yield();
			yield return 2;
		}

		public void Lambdas()
		{
			int k = 3;
			Func<int> plain = () => 1, captured = () => k, own = () => Total;
			Total = plain() + captured() + own();
		}

		public void Nested()
		{
			int k = 1;
			Action outer = () =>
			{
				int z = k;
				Action inner = () => Total += z;
				inner();
			};
			outer();
		}

		public async Task<T> Generic<T>(T v)
		{
			Func<Task<T>> inner = async () => { await Task.Yield(); return v; };
			return await inner();
		}

		public void Locals<T>(T v)
		{
			int k = 2;
			int Captured(int q) => q + k;
			int Recursive(int d) => d == 0 ? 0 : Recursive(d - 1);
			async Task Asynchronous() { await Task.Yield(); k++; }
			IEnumerable<T> Iterator() { yield return v; }
			Func<int> lambda = () => Captured(Recursive(2));
			lambda();
			Asynchronous().Wait();
			foreach (var x in Iterator()) { }
		}

		public (int, string) Tuple((int A, string B) x) => x;
		public void Optional(int? x) { }

		public IEnumerable<int> Query(int[] all) =>
			from x in all let y = x * 2 where y > 2 orderby y select y + 1;

		void IHidden.Secret()
		{
			Action a = () => { };
			a();
		}

		int IHidden.SecretProperty { get => 1; set { } }
		async Task IHidden.SecretAsync() { await Task.Yield(); }
	}
}

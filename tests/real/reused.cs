/* SPDX-License-Identifier: MIT */
// Makes the runtime use pointers again, and says what it did: one "name=count" a line.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Threading;

public class Loader : MarshalByRefObject
{
	public int Go(string file, int n)
	{
		Assembly plug = Assembly.LoadFrom(file);
		Type type = plug.GetType(Path.GetFileNameWithoutExtension(file) + "Worker");
		object worker = Activator.CreateInstance(type);
		return (int)type.GetMethod("Run").Invoke(worker, new object[] { n });
	}
}

public class Item
{
	public int Value;
}

static class Reused
{
	static readonly SortedDictionary<string, long> did = new SortedDictionary<string, long>();

	static void Did(string what, long n)
	{
		long before;
		did.TryGetValue(what, out before);
		did[what] = before + n;
	}

	// Domains that are made and unloaded, each with some of the plug-ins.
	static void Domains(string[] plugs, int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			AppDomain domain = AppDomain.CreateDomain("round" + i);
			var loader = (Loader)domain.CreateInstanceAndUnwrap(
				typeof(Loader).Assembly.FullName, "Loader");
			for (int p = 0; p < plugs.Length; p++) {
				string name = Path.GetFileNameWithoutExtension(plugs[p]);
				if ((i >> p & 1) == 0 && i % plugs.Length != p)
					continue;
				loader.Go(plugs[p], 10 + i);
				Did("class " + name + "Thing", 10 + i);
				Did("class " + name + "Thing [round" + i + "]", 10 + i);
				Did("method " + name + "Worker:" + name + "Step (int)", 10 + i);
				Did("method " + name + "Worker:Run (int)", 1);
			}
			AppDomain.Unload(domain);
		}
	}

	// Methods without a class that are collected when nobody has them any more.
	static void Dynamic(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			var method = new DynamicMethod("Dyn" + i, typeof(int),
				new[] { typeof(int) }, typeof(Reused).Module);
			ILGenerator il = method.GetILGenerator();
			il.Emit(OpCodes.Ldarg_0);
			il.Emit(OpCodes.Ldc_I4, i);
			il.Emit(OpCodes.Add);
			il.Emit(OpCodes.Ret);
			var call = (Func<int, int>)method.CreateDelegate(typeof(Func<int, int>));
			for (int n = 0; n <= i % 7; n++)
				call(n);
			Did("method (wrapper dynamic-method) object:Dyn" + i + " (int)", i % 7 + 1);
			if (i % 16 == 15)
				Collect();
		}
	}

	// Assemblies of one class each, collected likewise.
	static void Collectible(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			AssemblyBuilder assembly = AppDomain.CurrentDomain.DefineDynamicAssembly(
				new AssemblyName("Made" + i), AssemblyBuilderAccess.RunAndCollect);
			TypeBuilder type = assembly.DefineDynamicModule("Made" + i).DefineType(
				"Made" + i, TypeAttributes.Public);
			type.DefineDefaultConstructor(MethodAttributes.Public);
			Type made = type.CreateType();
			for (int n = 0; n <= i % 5; n++)
				Activator.CreateInstance(made);
			Did("class Made" + i, i % 5 + 1);
			Did("method Made" + i + ":.ctor ()", i % 5 + 1);
			if (i % 8 == 7)
				Collect();
		}
	}

	static void Collect()
	{
		GC.Collect();
		GC.WaitForPendingFinalizers();
		GC.Collect();
	}

	static Item kept;

	static void Make(object count)
	{
		for (int n = 0; n < (int)count; n++)
			kept = new Item { Value = n };
	}

	// One after another: their native ids are used again.
	static void Threads(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			var thread = new Thread(Make) { Name = "turn" + i };
			thread.Start(1000 + 10 * i);
			thread.Join();
			Did("thread turn" + i, 1000 + 10 * i);
			Did("class Item", 1000 + 10 * i);
		}
	}

	static void Main(string[] args)
	{
		int rounds = int.Parse(args[1]);
		var plugs = new string[args.Length - 2];
		Array.Copy(args, 2, plugs, 0, plugs.Length);
		switch (args[0]) {
		case "domains":
			Domains(plugs, rounds);
			break;
		case "dynamic":
			Dynamic(rounds);
			break;
		case "collectible":
			Collectible(rounds);
			break;
		case "threads":
			Threads(rounds);
			break;
		}
		foreach (KeyValuePair<string, long> one in did)
			Console.WriteLine(one.Key + "=" + one.Value);
	}
}

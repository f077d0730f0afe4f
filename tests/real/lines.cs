// SPDX-License-Identifier: MIT
// Planted hot lines: each is marked with "hot: " and the name of its kind. Usage: KIND SECONDS, of processor time
// A sample is of the instruction after the one that a processor waited for, which may be the next line's: each step
// of a hot line waits for the one before it, so that most of them are followed by their own line.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

class Box<T> where T : struct
{
    public T Value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public double Spin(double x, Func<T, double> f)
    {
        double start = f(Value);
        for (int i = 0; i < 8000; i++)
            x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (start + x) + i) + 3) / (x + 2)) + 7); // hot: generic
        return x;
    }
}

class Lines
{
    static double _sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Plain(double x)
    {
        double y = x + 1;
        for (int i = 0; i < 8000; i++)
            x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (y + x) + i) + 3) / (x + 2)) + 7); // hot: plain
        return x;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Expression(double x) =>
        x / (x + 2) + Math.Sqrt(x / 3) + Math.Sqrt(x / 5) + Math.Sqrt(x / 7) + Math.Sqrt(x / 11) + Math.Sqrt(x / 13); // hot: expression

    static async Task<double> Async(double x)
    {
        await Task.Yield();
        for (int i = 0; i < 8000; i++)
            x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (1.5 + x) + i) + 3) / (x + 2)) + 7); // hot: async
        await Task.Yield();
        return x;
    }

    static IEnumerable<double> Iterator(double x)
    {
        for (int n = 0; n < 10; n++)
        {
            for (int i = 0; i < 800; i++)
                x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (1.5 + x) + i) + 3) / (x + 2)) + 7); // hot: iterator
            yield return x;
        }
    }

    static Func<double, double> Lambda(double y) => x =>
    {
        for (int i = 0; i < 8000; i++)
            x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (y + x) + i) + 3) / (x + 2)) + 7); // hot: lambda
        return x;
    };

    static double Local(double x)
    {
        return Spin(x) + 1;
        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Spin(double x)
        {
            for (int i = 0; i < 8000; i++)
                x = Math.Sqrt(Math.Sqrt(Math.Sqrt(Math.Sqrt(x / (1.5 + x) + i) + 3) / (x + 2)) + 7); // hot: local
            return x;
        }
    }

    // What stacks did at a line: 300 blocks, 40 throws, and a wait of 200 ms.
    static readonly object _gate = new();
    static byte[] _kept;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static byte[] Block(int n)
    {
        var random = n * 7;
        return new byte[40000 + random % 3]; // hot: alloc
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Throw(int n)
    {
        if (n < 0)
            return;
        throw new InvalidOperationException("planted"); // hot: throw
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Wait()
    {
        int x = 1;
        lock (_gate) // hot: wait
            x++;
        return x;
    }

    static void Events()
    {
        for (int i = 0; i < 300; i++)
            _kept = Block(i);
        for (int i = 0; i < 40; i++)
        {
            try { Throw(i); }
            catch (InvalidOperationException) { }
        }
        using var held = new System.Threading.ManualResetEventSlim();
        var holder = new System.Threading.Thread(() => { lock (_gate) { held.Set(); System.Threading.Thread.Sleep(200); } });
        holder.Start();
        held.Wait();
        Wait();
        holder.Join();
    }

#line 1000 "lines.link.json"
    static double Elsewhere(double x) => x + 1;
#line hidden
    static double Hidden(double x) => x + 2;
#line default

    static double Once(string kind) => kind switch
    {
        "plain" => Plain(1),
        "expression" => Enumerable.Range(1, 2000).Sum(n => Expression(n)),
        "async" => Async(1).Result,
        "iterator" => Iterator(1).Last(),
        "lambda" => Lambda(1.5)(1),
        "local" => Local(1),
        "generic" => new Box<int> { Value = 2 }.Spin(1, n => n),
        _ => Elsewhere(1) + Hidden(1),
    };

    // Of a loop that is compiled anew while it runs the runtime does not say where all of its code is from.
    [MethodImpl(MethodImplOptions.NoOptimization)]
    static void Main(string[] args)
    {
        if (args[0] == "events")
            Events();
        while (Process.GetCurrentProcess().TotalProcessorTime.TotalSeconds < double.Parse(args[1]))
            _sum += Once(args[0]);
        Console.WriteLine(_sum > 0);
    }
}

// SPDX-License-Identifier: MIT
// All that a module's PDB says, by System.Reflection.Metadata, one fact a line. Usage: MODULE.dll
using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

static class PdbPoints
{
    static readonly Guid Sha1 = new("ff1816ec-aa5e-4d10-87f7-6f4963833460");
    static readonly Guid Sha256 = new("8829d00f-11b8-4213-878b-770e8597ac16");
    static readonly Guid Embedded = new("0e8a571b-6926-466e-b4ad-8ab04611f5fe");
    static readonly Guid Stepping = new("54fd2ac5-e925-401a-9c2a-f94f171072f8");

    static readonly StringBuilder Out = new();

    static void Line(FormattableString text) => Out.Append(FormattableString.Invariant(text)).Append('\n');

    static byte[] Custom(MetadataReader r, EntityHandle owner, Guid kind)
    {
        foreach (var handle in r.GetCustomDebugInformation(owner))
        {
            var c = r.GetCustomDebugInformation(handle);
            if (r.GetGuid(c.Kind) == kind)
                return r.GetBlobBytes(c.Value);
        }
        return null;
    }

    static byte[] Source(byte[] blob)
    {
        int size = BitConverter.ToInt32(blob);
        if (size == 0)
            return blob[4..];
        var text = new MemoryStream();
        using var packed = new System.IO.Compression.DeflateStream(new MemoryStream(blob, 4, blob.Length - 4),
            System.IO.Compression.CompressionMode.Decompress);
        packed.CopyTo(text);
        return text.ToArray();
    }

    static void Documents(MetadataReader r)
    {
        foreach (var handle in r.Documents)
        {
            var d = r.GetDocument(handle);
            int row = MetadataTokens.GetRowNumber(handle);
            Guid a = r.GetGuid(d.HashAlgorithm);
            string name = a == Sha1 ? "sha1" : a == Sha256 ? "sha256" : "none";
            string hash = d.Hash.IsNil ? "" : Convert.ToHexString(r.GetBlobBytes(d.Hash)).ToLowerInvariant();
            Line($"document {row} {name} {hash} {r.GetString(d.Name)}");
            if (Custom(r, handle, Embedded) is byte[] blob)
            {
                byte[] text = Source(blob);
                Line($"source {row} {text.Length} {text.Aggregate(2166136261u, (h, b) => unchecked((h ^ b) * 16777619u))}");
            }
        }
    }

    static void Awaits(int row, byte[] blob)
    {
        if (blob == null)
            return;
        unsafe
        {
            fixed (byte* bytes = blob)
            {
                var b = new BlobReader(bytes, blob.Length);
                b.ReadUInt32();
                for (int i = 0; b.RemainingBytes > 0; i++)
                {
                    Line($"await {row} {i} {b.ReadUInt32()} {b.ReadUInt32()}");
                    b.ReadCompressedInteger();
                }
            }
        }
    }

    static void Methods(MetadataReader r)
    {
        foreach (var handle in r.MethodDebugInformation)
        {
            var m = r.GetMethodDebugInformation(handle);
            int row = MetadataTokens.GetRowNumber(handle);
            foreach (var p in m.GetSequencePoints())
            {
                int document = MetadataTokens.GetRowNumber(p.Document);
                if (p.IsHidden)
                    Line($"point {row} {p.Offset} {document} hidden");
                else
                    Line($"point {row} {p.Offset} {document} {p.StartLine} {p.StartColumn} {p.EndLine} {p.EndColumn}");
            }
            var start = m.GetStateMachineKickoffMethod();
            if (!start.IsNil)
                Line($"kickoff {row} {MetadataTokens.GetRowNumber(start)}");
            Awaits(row, Custom(r, handle.ToDefinitionHandle(), Stepping));
        }
    }

    static void Main(string[] args)
    {
        using var pe = new PEReader(File.OpenRead(args[0]));
        if (!pe.TryOpenAssociatedPortablePdb(args[0], p => File.Exists(p) ? File.OpenRead(p) : null, out var provider, out _))
            throw new FileNotFoundException("no PDB", args[0]);
        using (provider)
        {
            var r = provider.GetMetadataReader();
            Documents(r);
            Methods(r);
        }
        Console.Out.Write(Out.ToString());
    }
}

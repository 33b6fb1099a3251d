// Weighing of parcels.
using System;
using System.Collections.Generic;
using static Parcels.Scales.Units;

namespace Parcels.Weighing;

/// <summary>
/// One thing to send.
/// </summary>
[Serializable]
public sealed partial class Parcel : Thing<int>, IEquatable<Parcel>
{
    public const int MaxWeight = 30;
    private const string ApiKey = "not-for-records";

    int _raw; // TODO: use grams

    public Parcel(int raw)
    {
        _raw = raw;
    }

    public string? Label { get; init; }

    public struct Size
    {
        public int Width;
    }

    /// <summary>Weight in <see cref="Kilo"/>.</summary>
    public async Task<int> WeighAsync(IScale scale, CancellationToken token)
    {
        var probe = new Probe<int>(_raw);
        var read = await scale.ReadAsync<Kilo>(probe, token);
        return read?.Value() ?? Compute(nameof(scale));
    }

    void Hide() => Send(this);

    public static bool operator ==(Parcel a, Parcel b) => a.Equals(b);
}

public interface IScale
{
    int Read(Parcel parcel);
}

public static class Żółw
{
    public static int Żółć(this Parcel parcel) => parcel.GetHashCode();
}

public class ParcelTests
{
    [Fact]
    public void HasWeight()
    {
        static int Double(int value) => value * 2;
        Assert.Equal(2, Double(1));
    }
}

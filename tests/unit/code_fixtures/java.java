/*
 * Licensed under the Apache License.
 */
package org.example.parcel;

import static org.example.scale.Scales.calibrate;

import java.util.*;
import org.example.scale.Scale;

/**
 * One thing to send.
 *
 * @author nobody
 */
@Deprecated
@SuppressWarnings("unchecked")
public abstract class Parcel<T extends Scale> extends Base<T> implements Sendable, Comparable<Parcel<T>> {
  /** The heaviest parcel. */
  public static final int MAX_WEIGHT = 30;
  private static final String API_KEY = "not-for-records";
  private final List<T> scales = new ArrayList<>(); // TODO: use a set
  String text = "// TODO: none";

  public Parcel(@Nullable T scale) {
    super(scale);
    scales.add(scale);
  }

  /* FIXME: round up */
  @Override
  public int weigh(@Nullable T scale) throws HeavyException {
    calibrate(scale);
    return this.<T>sum(scale.weights().stream().map(Kilo::new), new Kilo<T>(2));
  }

  protected void hide() {}

  static final Runnable SEND = new Runnable() {
    @Override public void run() { go(); }
  };

  Comparator<Parcel<?>> order = new Comparator<>() {
    public int compare(Parcel<?> a, Parcel<?> b) { return 0; }
  };

  public enum Kind implements Labelled {
    SMALL("not-for-records") { String label() { return small(); } },
    BIG;

    abstract String label();
  }

  public interface Sendable {
    int LIMIT = 5;

    void send(Parcel<?> parcel);
  }
}

record Żółć(int waga) {
  Żółć {
    check(waga);
  }
}

class ParcelTest {
  @Test void isLight() { assertThat(weigh()); }

  void helper() {}
}

/*
 * Copyright 2020 The Post. Licensed under the Apache License.
 */

package org.post
package parcel

import scala.concurrent.Future
import org.post.scale.{ Scale => Weigher, Unit, _ }
import Parcel._

/**
 * One thing to send.
 *
 * @param raw in grams
 */
@SerialVersionUID(1L)
sealed abstract class Parcel[T <: Thing](val raw: Int, private val scale: Weigher = new Weigher())
    extends Base(raw)
    with Sendable[T] {

  type Grams = Int
  val id = raw

  // FIXME: round up
  @throws[ScaleException]
  override def weight(unit: Unit)(implicit now: Clock): Future[Int] =
    scale.weigh(raw).map(_.kilos[Int](unit))

  /** Knows itself. */
  def secret: String

  class Label { def text: String = render(raw) }
}

object Parcel {

  /** In kilograms. */
  final val MaxWeight = 30
  private val ApiKey = "not-for-records"

  implicit val ordering: Ordering[Parcel[_]] = new Ordering[Parcel[_]] {
    def compare(a: Parcel[_], b: Parcel[_]): Int = a.raw - b.raw
  }

  def apply(raw: Int): Parcel[Thing] = new Parcel[Thing](raw) {
    def secret = hidden(raw)
  }

  private[post] def reset(): Unit = clear()
}

trait Listener[F[_]] { self: Logging =>
  def arrived(parcel: Parcel[_]): F[Unit]
}

class ParcelSpec extends AnyWordSpec {
  def żółć(x: Int): Int = ready(x)

  "A parcel" should {
    "weigh little" in {
      assert(Parcel(1).weight(Kilo) === 1)
    }
  }
}

@main def deliver(path: String): Unit =
  send(path)

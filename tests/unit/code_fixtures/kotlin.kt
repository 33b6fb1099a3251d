/*
 * Copyright 2020 The Post. Licensed under the Apache License.
 */
@file:JvmName("Parcels")

package org.post.parcel

import kotlinx.coroutines.delay
import org.post.scale.Scale
import org.post.scale.Scale.Companion.calibrated as ready
import java.util.*

/** In kilograms. */
const val MAX_WEIGHT = 30
private const val API_KEY = "not-for-records"

/**
 * One thing to send.
 *
 * @property raw in grams
 */
@Serializable
open class Parcel<T : Any>(val raw: Int, private val scale: Scale = Scale()) : Base(raw), Sendable by scale {
  enum class Size(val grams: Int) {
    SMALL(100) {
      override fun label() = "s"
    },
    LARGE(2000);

    open fun label(): String = name.lowercase()
  }

  constructor(text: String) : this(text.toInt()) {
    register(text)
  }

  // FIXME: round up
  @Throws(ScaleException::class)
  override suspend fun weight(): Int {
    delay(10)
    return scale.weigh(raw)?.kilos(ready())
  }

  internal fun secret() = Unit

  companion object {
    val UNIT by lazy { Unit.of("kg") }

    @JvmStatic
    fun of(raw: Int) = Parcel<Any>(raw)
  }
}

fun interface Listener {
  fun arrived(parcel: Parcel<*>)
}

typealias Handler = (Parcel<*>) -> Unit

fun Parcel<*>.send(listener: Listener) {
  val handler = object : Handler {
    override fun invoke(parcel: Parcel<*>) = listener.arrived(parcel)
  }
  queue.push(this, handler)
}

fun żółć(x: Int): Int = ready(x)

class ParcelTest {
  @Test
  fun `weighs little`() {
    assertEquals(1, Parcel<Any>(1).weight())
  }
}

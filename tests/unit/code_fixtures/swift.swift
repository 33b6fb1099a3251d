//===----------------------------------------------------------------------===//
// Licensed under the MIT licence.
//===----------------------------------------------------------------------===//

import Foundation
@testable import struct PostKit.Scale

/// In kilograms.
public let maxWeight = 30
private let apiKey = "not-for-records"

/// One thing to send.
///
/// - Note: it has no address.
@MainActor
open class Parcel<T: Sendable>: Base, Codable where T: Hashable {
  public enum Size: Int {
    case small = 100, large

    public var label: String { "s" }
    public static func of(_ grams: Int) -> Size? { Size(rawValue: grams) }
  }

  static let unit = "kg"
  let raw: Int

  public init(raw: Int) {
    self.raw = raw
    super.init()
    register(self)
  }

  // FIXME: round up
  @available(*, deprecated, message: "not public")
  public override func weight(on scale: Scale) async throws -> Int {
    let kilos = try await scale.weigh(raw)?.kilos(of: self)
    return kilos! + table[0]
  }

  func secret() {}

  subscript(index: Int) -> Int { lookup(index) }
}

public protocol Listener: AnyObject {
  associatedtype Thing
  func arrived(_ thing: Thing)
}

extension Parcel: CustomStringConvertible {
  public var description: String { "parcel" }

  public func send(to listener: any Listener) {
    queue.push(self)
    DispatchQueue.main.async { Notice<Parcel>(self).post() }
  }
}

func żółć(_ x: Int) -> Int { ready(x) }

final class ParcelTests: XCTestCase {
  func testWeighsLittle() async throws {
    XCTAssertEqual(try await Parcel(raw: 1).weight(on: .init()), 1)
  }
}

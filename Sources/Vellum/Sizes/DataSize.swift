public import Foundation

/// A number of bytes; a kilobyte has 1,024 of them.
public struct DataSize: Hashable, Sendable {
  /// The bytes.
  public var bytes: Int

  private init(bytes: Int) {
    self.bytes = bytes
  }

  /// A size from a number that may be too large for it: the nearest there is; begun bytes count.
  private init(_ bytes: Double) {
    self.init(bytes: Int(exactly: bytes.rounded(.up)) ?? (bytes < 0 ? .min : bytes.isNaN ? 0 : .max))
  }

  /// No bytes.
  public static var zero: DataSize { DataSize(bytes: 0) }
  /// A size of so many bits; begun bytes count.
  public static func bits(_ count: Int) -> DataSize { DataSize(bytes: count / 8 + (count % 8 > 0 ? 1 : 0)) }
  /// A size of so many bits; begun bytes count.
  public static func bits(_ count: Double) -> DataSize { DataSize(count / 8) }
  /// A size of so many half bytes; begun bytes count.
  public static func nibbles(_ count: Int) -> DataSize {
    DataSize(bytes: count / 2 + (count % 2 > 0 ? 1 : 0))
  }
  /// A size of so many half bytes; begun bytes count.
  public static func nibbles(_ count: Double) -> DataSize { DataSize(count / 2) }
  /// A size of so many bytes.
  public static func bytes(_ count: Int) -> DataSize { DataSize(bytes: count) }
  /// A size of so many bytes; begun ones count.
  public static func bytes(_ count: Double) -> DataSize { DataSize(count) }
  /// A size of so many kilobytes.
  public static func kiloBytes(_ count: Int) -> DataSize { kiloBytes(Double(count)) }
  /// A size of so many kilobytes.
  public static func kiloBytes(_ count: Double) -> DataSize { DataSize(count * 1024) }
  /// A size of so many megabytes.
  public static func megaBytes(_ count: Int) -> DataSize { megaBytes(Double(count)) }
  /// A size of so many megabytes.
  public static func megaBytes(_ count: Double) -> DataSize { kiloBytes(count * 1024) }
  /// A size of so many gigabytes.
  public static func gigaBytes(_ count: Int) -> DataSize { gigaBytes(Double(count)) }
  /// A size of so many gigabytes.
  public static func gigaBytes(_ count: Double) -> DataSize { megaBytes(count * 1024) }

  /// The size in bits, the largest there is where it does not fit.
  public var bits: Int { saturated(bytes.multipliedReportingOverflow(by: 8), sign: bytes) }
  /// The size in half bytes, the largest there is where it does not fit.
  public var nibbles: Int { saturated(bytes.multipliedReportingOverflow(by: 2), sign: bytes) }
  /// The size in kilobytes.
  public var kiloBytes: Double { Double(bytes) / 1024 }
  /// The size in megabytes.
  public var megaBytes: Double { kiloBytes / 1024 }
  /// The size in gigabytes.
  public var gigaBytes: Double { megaBytes / 1024 }
}

/// The result of a sum or product; where it did not fit, the end of the range that `sign` points to.
private func saturated(_ result: (partialValue: Int, overflow: Bool), sign: Int) -> Int {
  guard result.overflow else { return result.partialValue }
  return sign < 0 ? .min : .max
}

extension DataSize: Comparable {
  /// Whether one size is smaller than the other.
  public static func < (lhs: DataSize, rhs: DataSize) -> Bool {
    lhs.bytes < rhs.bytes
  }
}

extension DataSize: AdditiveArithmetic {
  /// The sum, the largest there is where it does not fit.
  public static func + (lhs: DataSize, rhs: DataSize) -> DataSize {
    DataSize(bytes: saturated(lhs.bytes.addingReportingOverflow(rhs.bytes), sign: rhs.bytes))
  }

  /// The difference, the largest or smallest there is where it does not fit.
  public static func - (lhs: DataSize, rhs: DataSize) -> DataSize {
    DataSize(bytes: saturated(lhs.bytes.subtractingReportingOverflow(rhs.bytes), sign: lhs.bytes))
  }
}

extension DataSize: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A size of so many bytes.
  public init(integerLiteral value: Int) {
    self.init(bytes: value)
  }

  /// A size of so many bytes; begun ones count.
  public init(floatLiteral value: Double) {
    self.init(value)
  }
}

extension Data {
  /// How many bytes it has.
  public var dataSize: DataSize { .bytes(count) }
}

import CrashModel
import Foundation

/// What happened to a device, in order; see Tests/Device/device.h.
struct DeviceLog {
  private let bytes: Data
  private(set) var records: [Record] = []

  struct Record {
    var kind: Kind
    var offset: UInt64
    var byteCount: Int
    /// Where its bytes are in the log, if it is a write or a mark.
    fileprivate var place: Int
  }

  enum Kind: UInt32 {
    case write = 1
    case zero, flush, mark, failure, lostFlush, oldRead

    /// Whether a power failure may take it.
    var isChange: Bool { self == .write || self == .zero }
    fileprivate var hasBytes: Bool { self == .write || self == .mark }
  }

  private static let headByteCount = 16

  init(_ path: String) throws {
    bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    var place = 0
    while place + Self.headByteCount <= bytes.count {
      guard let kind = Kind(rawValue: number(at: place)) else {
        throw DeviceFailure(description: "a log is damaged")
      }
      let byteCount = Int(number(at: place + 4) as UInt32)
      place += Self.headByteCount
      records.append(Record(kind: kind, offset: number(at: place - 8), byteCount: byteCount, place: place))
      if kind.hasBytes { place += byteCount }
    }
  }

  private func number<Number: FixedWidthInteger>(at place: Int) -> Number {
    unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
  }

  /// What a process has said; nil for a record of another kind.
  func mark(_ record: Record) -> DeviceMark? {
    guard record.kind == .mark else { return nil }
    return DeviceMark(String(decoding: bytes[record.place..<record.place + record.byteCount], as: UTF8.self))
  }

  /// What is known of the store before the record of a number.
  func past(before count: Int, after past: DevicePast) -> DevicePast {
    var past = past
    for record in records[..<count] { mark(record).map { past.note($0) } }
    return past
  }

  /// Whether a read before the record of a number gave old bytes.
  func hasOldReads(before count: Int) -> Bool { records[..<count].contains { $0.kind == .oldRead } }

  /// A part of a record, as bytes that a history takes.
  func history(of record: Record, _ range: Range<Int>) -> Data {
    var head = Data()
    func add(_ number: some FixedWidthInteger) {
      unsafe withUnsafeBytes(of: number) { unsafe head.append(contentsOf: $0) }
    }
    add(record.kind.rawValue)
    add(UInt32(range.count))
    add(record.offset + UInt64(range.lowerBound))
    if record.kind.hasBytes {
      head += bytes[record.place + range.lowerBound..<record.place + range.upperBound]
    }
    return head
  }
}

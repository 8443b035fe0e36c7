/// Some keys that are looked up together: their bytes in one buffer.
@usableFromInline
struct KeyGroup {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// How many keys are looked up at a time: enough for their memory to come near while others are looked at.
  @usableFromInline static let countMax = 64

  @usableFromInline init() {
    bytes.reserveCapacity(Self.countMax * 16)
    ends.reserveCapacity(Self.countMax)
  }

  @usableFromInline var count: Int { ends.count }

  @usableFromInline
  mutating func append(_ key: RawSpan) {
    unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  @usableFromInline
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with each key in turn.
  @inline(__always)
  func forEach<Failure: Error>(_ body: (Int, RawSpan) throws(Failure) -> Void) throws(Failure) {
    let all = unsafe bytes.span.bytes
    var start = 0
    for number in 0..<ends.count {
      let end = ends[number]
      try body(number, unsafe all.extracting(unchecked: start..<end))
      start = end
    }
  }
}

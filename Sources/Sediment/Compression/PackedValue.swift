internal import SedimentFormat

/// A value as it is to be stored, in memory of a codec until that compresses another.
@safe
struct PackedValue {
  let bytes: UnsafeRawBufferPointer
  let transform: Transform
}

extension Transform {
  /// How a value of so many bytes is stored that was compressed; nil if no record can say that.
  init?(zstdOf byteCount: Int, with dictionary: CompressionDictionary? = nil) {
    self.init(
      compression: Self.zstd, dictionary: dictionary?.number ?? 0,
      originalByteCount: UInt32(truncatingIfNeeded: byteCount))
  }
}

extension Compressor {
  /// Compresses the members of a batch that are worth it, but for those that have extents.
  func pack(_ batch: BatchMembers, besides large: [Int: WrittenExtents]) -> PackedMembers {
    var packed = PackedMembers()
    guard compresses else { return packed }
    ZstdCodec.withCurrent { codec in
      guard let codec else { return }
      for (number, member) in batch.members.enumerated()
      where member.kind == .put && large[number] == nil {
        let state = batch.state(of: member)
        batch.withValue(of: member) { value in
          guard wantsPacking(value, state) else { return }
          if let value = pack(value, state, with: codec) { packed.add(number, value) }
        }
      }
    }
    return packed
  }
}

/// The members of a batch that were compressed: all bytes in one buffer.
struct PackedMembers {
  private(set) var bytes: [UInt8] = []
  private var packed: [Int: (range: Range<Int>, transform: Transform)] = [:]

  mutating func add(_ number: Int, _ value: PackedValue) {
    let start = bytes.count
    unsafe bytes.append(contentsOf: value.bytes)
    packed[number] = (start..<bytes.count, value.transform)
  }

  var isEmpty: Bool { packed.isEmpty }

  func range(_ number: Int) -> Range<Int>? { packed[number]?.range }

  func byteCount(_ number: Int) -> Int? { packed[number]?.range.count }

  func transform(_ number: Int) -> Transform? { packed[number]?.transform }

  /// Lets members be stored as they are that a test tells.
  mutating func forget(where isStale: (Transform, Int) -> Bool) {
    packed = packed.filter { !isStale($0.value.transform, $0.key) }
  }
}

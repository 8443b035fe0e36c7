internal import SedimentFormat

/// The stored bytes of one value, in their order and a part at a time, each of them verified.
///
/// A part is a chunk of an extent, of at most a MiB, or what a record holds of the value.
struct StoredValueParts {
  private let file: StoreFile
  private let identity: FileIdentity
  private var pieces: ArraySlice<ValuePlace.Piece>
  /// The piece that is being read, its chunk table, and the chunks that are left of it.
  private var extent: (reading: ExtentReading, table: [UInt8], left: Range<Int>)?
  /// The bytes that the record holds, which come last.
  private var held: [UInt8]?

  /// The parts of a value whose record, which was verified, holds `held` and leads to `pieces`.
  init(_ pieces: [ValuePlace.Piece], held: [UInt8], of file: StoreFile, _ identity: FileIdentity) {
    (self.file, self.identity) = (file, identity)
    self.pieces = pieces[...]
    self.held = held
  }

  /// The path of the file.
  var path: String { file.path }

  /// The next part, which is not empty; nil at the end.
  ///
  /// Throws `damaged` for a part that is not whole.
  mutating func next() throws(SedimentError) -> [UInt8]? {
    while true {
      if let (reading, table, left) = extent, let number = left.first {
        extent?.left = left.dropFirst()
        guard let chunk = try reading.chunk(number, table) else {
          throw .damagedRecord(file.path, offset: reading.range(ofChunk: number).lowerBound)
        }
        return chunk
      }
      if let piece = pieces.popFirst() {
        let reading = ExtentReading(piece, of: file, identity)
        guard let table = try reading.table() else {
          throw .damagedRecord(file.path, offset: piece.extent.run.byteRange.lowerBound)
        }
        extent = (reading, table, reading.chunks)
        continue
      }
      defer { held = nil }
      return held.flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}

/// The bytes of one value as its user set them, in their order and a part at a time.
///
/// Reading takes some MiB of memory however long the value is: a chunk of what is stored, and of a compressed value the
/// window of its frame, 8 MiB at most.
struct ValueParts {
  private var stored: StoredValueParts
  private let codec: ZstdStream?
  /// The bytes of the value.
  let byteCount: UInt64
  /// Makes the error for a frame that is not what its record says.
  private let undecompressable: @Sendable () -> SedimentError
  private var givenByteCount: UInt64 = 0
  /// The stored part that is being decompressed, and how much of it was taken.
  private var input: [UInt8] = []
  private var position = 0
  /// Whether the codec may have more to give without more input.
  private var mayHaveMore = false

  /// What is given at a time of a compressed value, at most.
  static let partByteCountMax = 256 << 10

  /// The parts of a value that is stored as it is, with that many bytes.
  init(_ stored: StoredValueParts, byteCount: UInt64) {
    self.stored = stored
    self.byteCount = byteCount
    codec = nil
    undecompressable = { preconditionFailure("nothing is decompressed") }
  }

  /// The parts of a compressed value of that many bytes.
  init(
    _ stored: StoredValueParts, byteCount: UInt64, with codec: ZstdStream,
    undecompressable: @escaping @Sendable () -> SedimentError
  ) {
    self.stored = stored
    self.byteCount = byteCount
    self.codec = codec
    self.undecompressable = undecompressable
  }

  /// The next part, which is not empty; nil at the end, which comes only after all bytes.
  mutating func next() throws(SedimentError) -> [UInt8]? {
    guard let codec else { return try stored.next() }
    while true {
      if position == input.count, !mayHaveMore {
        guard let part = try stored.next() else {
          guard codec.isAtEnd, givenByteCount == byteCount else { throw undecompressable() }
          return nil
        }
        (input, position) = (part, 0)
      }
      var isSound = true
      let before = position
      let part = unsafe [UInt8](unsafeUninitializedCapacity: Self.partByteCountMax) { output, count in
        let given = unsafe input.withUnsafeBytes { bytes in
          unsafe codec.decompress(bytes, from: &position, into: UnsafeMutableRawBufferPointer(output))
        }
        (count, isSound) = (given ?? 0, given != nil)
      }
      givenByteCount += UInt64(part.count)
      // A step that takes nothing and gives nothing would be repeated without end.
      if part.isEmpty, position == before, position < input.count { isSound = false }
      guard isSound, givenByteCount <= byteCount else { throw undecompressable() }
      mayHaveMore = part.count == Self.partByteCountMax
      if !part.isEmpty { return part }
    }
  }
}

internal import SedimentFormat

/// The values of salvaged records, each verified before anything of it is copied.
///
/// Verifying takes some MiB of memory however long a value is: a long one is read a part at a time, and again when it is
/// copied.
struct SalvageValues {
  /// A value that is whole.
  enum Value {
    case whole([UInt8])
    /// One of more than a MiB, which is copied as it is stored; indirect, so that each value that is passed on is one word.
    indirect case long(StoredValue)

    var byteCount: Int {
      switch self {
      case .whole(let bytes): bytes.count
      case .long(let stored): stored.byteCount
      }
    }
  }

  /// Why a value is lost, and with which bytes of the file.
  struct Loss: Error {
    let range: Range<UInt64>
    let reason: String
  }

  /// The dictionaries of the file that are whole, by their numbers.
  var dictionaries: [UInt32: CompressionDictionary] = [:]
  private let surveyed: SurveyedFile
  private let valueByteCountMax: Int
  /// The slots of large values that were read: each belongs to one value, so what is written is bounded by the file.
  private var claimedSlots = SlotRuns()
  /// Nil where every large value is known to be one that a user set.
  private var holes: HoleBudget?

  /// The longest value that is put together in memory.
  private static let wholeByteCountMax = 1 << 20

  static let notWhole = "a large value is not whole"
  private static let undecompressable = "its value cannot be decompressed with what is left"

  init(
    _ surveyed: SurveyedFile, _ holes: HoleBudget?, valueByteCountMax: Int = Limits.valueByteCountMax
  ) {
    self.surveyed = surveyed
    self.holes = holes
    self.valueByteCountMax = valueByteCountMax
  }

  /// The value of a record in a range of the file, which holds `held` of it; throws only if the caller stops the call.
  mutating func value(
    of header: RecordHeader, _ held: [UInt8], at record: Range<UInt64>, _ meter: ProgressMeter
  ) throws(SedimentError) -> Result<Value, Loss> {
    var place: ValuePlace?
    if header.kind == .putLarge {
      place = try? ValuePlace.decode(unsafe held.span.bytes)
      if place == nil { return .failure(Loss(range: record, reason: "it does not say where its value lies")) }
    }
    let stored = StoredValueParts(
      place?.pieces ?? [], held: Array(held[(place?.tailOffset ?? 0)...]), of: surveyed.file,
      surveyed.identity
    )
    let storedByteCount = place.map { Int($0.storedByteCount) } ?? held.count
    let byteCount = header.transform.map { Int($0.originalByteCount) } ?? storedByteCount
    guard byteCount <= valueByteCountMax else {
      let reason = "its value has \(byteCount) bytes, more than the \(valueByteCountMax) that were allowed"
      return .failure(Loss(range: record, reason: reason))
    }
    let isLong = byteCount > Self.wholeByteCountMax
    let parts: ValueParts
    if let transform = header.transform {
      guard transform.compression == Transform.zstd, transform.isPlausible(storedByteCount: storedByteCount),
        transform.dictionary == 0 || dictionaries[transform.dictionary] != nil,
        let codec = ZstdStream(dictionaries[transform.dictionary])
      else { return .failure(Loss(range: record, reason: Self.undecompressable)) }
      if isLong, transform.dictionary != 0 {
        let reason = "it was compressed with a dictionary, as no value of more than a MiB is"
        return .failure(Loss(range: record, reason: reason))
      }
      let error = SedimentError.damagedRecord(surveyed.file.path, offset: record.lowerBound)
      parts = ValueParts(stored, byteCount: UInt64(byteCount), with: codec, undecompressable: { error })
    } else {
      parts = ValueParts(stored, byteCount: UInt64(byteCount))
    }
    for piece in place?.pieces ?? [] {
      if let reason = refusal(of: piece) {
        return .failure(Loss(range: piece.extent.run.byteRange, reason: reason))
      }
    }
    do throws(SedimentError) {
      let bytes = try verify(parts, keeping: !isLong, meter)
      if !isLong { return .success(.whole(bytes)) }
    } catch {
      if error.code == .cancelled { throw error }
      let piece = place?.pieces.first { piece in
        error.offset.map { piece.extent.run.byteRange.contains($0) } ?? true
      }
      return .failure(
        piece.map { Loss(range: $0.extent.run.byteRange, reason: Self.notWhole) }
          ?? Loss(range: record, reason: Self.undecompressable))
    }
    return .success(
      .long(
        StoredValue(
          parts: stored, storedByteCount: storedByteCount, transform: header.transform, byteCount: byteCount))
    )
  }

  /// Reads a value from end to end; the bytes, if they are to be kept.
  private func verify(
    _ parts: ValueParts, keeping: Bool, _ meter: ProgressMeter
  ) throws(SedimentError) -> [UInt8] {
    var (parts, value) = (parts, [UInt8]())
    while let part = try parts.next() {
      try meter.work(UInt64(part.count))
      if keeping { value += part }
    }
    return value
  }

  /// Why a piece of a large value may not be read; nil if it may.
  ///
  /// Once its table is the one that the record names, the piece has its slots, whether it is whole or not: no byte is
  /// read for two values.
  private mutating func refusal(of piece: ValuePlace.Piece) -> String? {
    let extent = ExtentReading(piece, of: surveyed.file, surveyed.identity)
    guard (try? extent.table()) ?? nil != nil else { return Self.notWhole }
    let run = piece.extent.run
    guard !claimedSlots.overlaps(run.first..<run.end) else {
      return "it belongs to another large value as well"
    }
    claimedSlots.insert(run.first..<run.end)
    return holes?.admits(piece) ?? true ? nil : "more large values lie in holes of the file than it can have"
  }
}

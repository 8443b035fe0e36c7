internal import SedimentFormat

/// Puts salvaged records into a new store.
struct SalvageWriting {
  private let surveyed: SurveyedFile
  private let segments: [SalvageSegment]
  private let store: SedimentStore
  private(set) var report: SalvageReport
  /// Whether what is copied was not removed.
  private var isCertain = true
  /// The collections of the new store, by their numbers in the old file.
  private var spaces: [UInt32: SedimentCollection]
  private var names: Set<String> = []
  /// The dictionaries of the old file that are whole, by their numbers.
  private var dictionaries: [UInt32: CompressionDictionary] = [:]
  private let codec = ZstdCodec()
  /// The slots of large values that were read: each belongs to one value, so what is written is bounded by the file.
  private var claimedSlots = SlotRuns()
  private var holes: HoleBudget

  /// Makes the collections whose names are known; what is copied, and what of that is lost, is added to the report.
  init(
    _ surveyed: SurveyedFile, _ plan: SalvagePlan, to store: SedimentStore, _ report: SalvageReport
  ) throws {
    (self.surveyed, segments, self.store, self.report) = (surveyed, plan.segments, store, report)
    spaces = [0: store.defaultCollection]
    holes = HoleBudget(surveyed.file)
    for (number, name) in plan.collections.known where names.insert(name).inserted {
      spaces[number] = try store.collection(name)
    }
  }

  /// What is copied from now on may have been removed, and goes to collections of its own.
  mutating func beginUncertain() {
    isCertain = false
    spaces = [:]
  }

  /// Copies the newest record of each key, unless that is a removal.
  mutating func run(_ table: SalvageTable, _ meter: ProgressMeter) throws {
    takeDictionaries(table)
    for (name, place) in table.ordered {
      try copy(place, to: try space(name.collection))
      try meter.add(UInt64(place.byteCount))
    }
  }

  private mutating func space(_ number: UInt32) throws -> SedimentCollection {
    if let space = spaces[number] { return space }
    let wanted = isCertain ? "collection-\(number)" : number == 0 ? "salvaged" : "salvaged-\(number)"
    var name = wanted
    var count = 1
    while !names.insert(name).inserted {
      count += 1
      name = "\(wanted)-\(count)"
    }
    report.inventedNames.append(name)
    let space = try store.collection(name)
    spaces[number] = space
    return space
  }

  // MARK: Compressed values

  private mutating func takeDictionaries(_ table: SalvageTable) {
    for (name, place) in table.places where name.collection == CollectionEntry.dictionaries {
      guard !place.isRemoval, let (header, bytes) = record(place),
        let number = unsafe header.dictionaryNumber(in: bytes.span.bytes)
      else { continue }
      dictionaries[number] = CompressionDictionary(
        unsafe bytes.span.bytes.extracting(header.valueRange), number: number, level: nil)
    }
  }

  /// The value that stored bytes stand for; nil if that cannot be told.
  private func unpacked(_ stored: [UInt8], _ transform: Transform) -> [UInt8]? {
    guard transform.compression == Transform.zstd,
      transform.isPlausible(storedByteCount: stored.count), let codec
    else { return nil }
    let dictionary = dictionaries[transform.dictionary]
    if transform.dictionary != 0, dictionary == nil { return nil }
    var value = [UInt8](repeating: 0, count: Int(transform.originalByteCount))
    let isWhole = unsafe stored.withUnsafeBytes { frame in
      unsafe value.withUnsafeMutableBytes { target in
        unsafe codec.decompress(frame, with: dictionary, into: target)
      }
    }
    return isWhole ? value : nil
  }

  // MARK: Records

  /// Copies one record, or tells what is lost if it or its value is not whole.
  private mutating func copy(_ place: SalvageTable.Place, to space: SedimentCollection) throws {
    let range = place.offset..<place.offset + UInt64(place.byteCount)
    guard let (header, bytes) = record(place) else { return lose(range, "the disk cannot read it any more") }
    let key = Array(bytes[header.keyRange])
    var value = Array(bytes[header.valueRange])
    if header.kind == .putLarge {
      guard let large = largeValue(value, of: range) else { return }
      value = large
    }
    if let transform = header.transform {
      guard let unpacked = unpacked(value, transform) else {
        return lose(range, "its value cannot be decompressed with what is left")
      }
      value = unpacked
    }
    let expiry: SedimentExpiry = header.expiry == 0 ? .never : .at(milliseconds: header.expiry)
    try space.set(value, forKey: key, expiry: expiry)
    report.keyCount += 1
    report.byteCount += UInt64(key.count + value.count)
  }

  private func record(_ place: SalvageTable.Place) -> (header: RecordHeader, bytes: [UInt8])? {
    let segment = segments[Int(place.segment)]
    let bytes = (try? surveyed.file.bytes(at: place.offset, count: Int(place.byteCount))) ?? []
    let recordPlace = RecordPlace(
      seed: segment.identity.seed(in: surveyed.identity), base: segment.base ?? .zero,
      offset: UnitOffset(byteOffset: place.offset) ?? .zero)
    guard let header = try? RecordHeader.decode(unsafe bytes.span.bytes, at: recordPlace) else { return nil }
    return (header, bytes)
  }

  /// The bytes of a large value, whose record has a range of the file; nil if they are lost.
  private mutating func largeValue(_ stored: [UInt8], of record: Range<UInt64>) -> [UInt8]? {
    guard let place = try? ValuePlace.decode(unsafe stored.span.bytes) else {
      lose(record, "it does not say where its value lies")
      return nil
    }
    var value: [UInt8] = []
    for piece in place.pieces {
      do throws(Refusal) {
        try append(piece, to: &value)
      } catch {
        lose(piece.extent.run.byteRange, error.reason)
        return nil
      }
    }
    return value + stored[place.tailOffset...]
  }

  private enum Refusal: String, Error {
    case notWhole = "a large value is not whole"
    case claimed = "it belongs to another large value as well"
    case hole = "more large values lie in holes of the file than it can have"

    var reason: String { rawValue }
  }

  /// Appends the bytes of one piece.
  ///
  /// Once its table is the one that the record names, the piece has its slots, whether it is whole or not: no byte is
  /// read for two values.
  private mutating func append(_ piece: ValuePlace.Piece, to value: inout [UInt8]) throws(Refusal) {
    let extent = ExtentReading(piece, of: surveyed.file, surveyed.identity)
    guard let table = try? extent.table() else { throw .notWhole }
    let run = piece.extent.run
    guard !claimedSlots.overlaps(run.first..<run.end) else { throw .claimed }
    claimedSlots.insert(run.first..<run.end)
    guard holes.admits(piece) else { throw .hole }
    for number in extent.chunks {
      guard let chunk = try? extent.chunk(number, table) else { throw .notWhole }
      value += chunk
    }
  }

  private mutating func lose(_ range: Range<UInt64>, _ reason: String) {
    report.losses.append(SalvageReport.Loss(range: range, reason: reason, sequences: nil))
    report.lostValueCount += 1
  }
}

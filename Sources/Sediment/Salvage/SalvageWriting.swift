internal import SedimentFormat

/// Puts salvaged records into a new store.
struct SalvageWriting {
  private let surveyed: SurveyedFile
  private let store: SedimentStore
  /// The collections of the new store, by their numbers in the old file.
  private var spaces: [UInt32: SedimentCollection] = [:]
  private var names: Set<String> = []
  /// The dictionaries of the old file that are whole, by their numbers.
  private var dictionaries: [UInt32: CompressionDictionary] = [:]
  private let codec = ZstdCodec()

  init(_ surveyed: SurveyedFile, to store: SedimentStore) {
    self.surveyed = surveyed
    self.store = store
    spaces[0] = store.defaultCollection
  }

  /// Makes the collections whose names are known.
  mutating func makeCollections(_ known: [(number: UInt32, name: String)]) throws {
    for (number, name) in known where !names.contains(name) {
      names.insert(name)
      spaces[number] = try store.collection(name)
    }
  }

  /// Copies the newest record of each key, unless that is a removal.
  mutating func run(
    _ table: SalvageTable, _ segments: [SalvageSegment], _ report: inout SalvageReport,
    _ meter: inout ProgressMeter
  ) throws {
    takeDictionaries(table, segments)
    for (name, place) in Self.ordered(table) {
      if try copy(place, segments, to: try space(name.collection, &report), &report) {
        report.keyCount += 1
      }
      try meter.add(UInt64(place.byteCount))
    }
  }

  /// Copies what may have been removed to collections of its own.
  mutating func runUncertain(
    _ table: SalvageTable, _ segments: [SalvageSegment], _ meter: inout ProgressMeter
  ) throws {
    var others: [UInt32: SedimentCollection] = [:]
    var ignored = SalvageReport()
    takeDictionaries(table, segments)
    for (name, place) in Self.ordered(table) {
      let wanted = name.collection == 0 ? "salvaged" : "salvaged-\(name.collection)"
      let space =
        if let found = others[name.collection] { found } else { try store.collection(free(wanted)) }
      others[name.collection] = space
      _ = try copy(place, segments, to: space, &ignored)
      try meter.add(UInt64(place.byteCount))
    }
  }

  /// What is to be copied, in the order of the file.
  static func ordered(_ table: SalvageTable) -> [(key: SalvageTable.Name, value: SalvageTable.Place)] {
    table.places
      .filter { !$0.value.isRemoval && $0.key.collection < CollectionEntry.systemNumberMin }
      .sorted { $0.value.offset < $1.value.offset }
  }

  private mutating func space(_ number: UInt32, _ report: inout SalvageReport) throws -> SedimentCollection {
    if let space = spaces[number] { return space }
    let name = free("collection-\(number)")
    report.inventedNames.append(name)
    let space = try store.collection(name)
    spaces[number] = space
    return space
  }

  private mutating func free(_ wanted: String) -> String {
    var name = wanted
    var number = 1
    while !names.insert(name).inserted {
      number += 1
      name = "\(wanted)-\(number)"
    }
    return name
  }

  // MARK: Compressed values

  private mutating func takeDictionaries(_ table: SalvageTable, _ segments: [SalvageSegment]) {
    for (name, place) in table.places where name.collection == CollectionEntry.dictionaries {
      guard !place.isRemoval, let (header, bytes) = record(place, segments),
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

  /// Copies one record; false if it or its value is not whole, which the report is told.
  private func copy(
    _ place: SalvageTable.Place, _ segments: [SalvageSegment], to space: SedimentCollection,
    _ report: inout SalvageReport
  ) throws -> Bool {
    let range = place.offset..<place.offset + UInt64(place.byteCount)
    guard let (header, bytes) = record(place, segments) else {
      return lose(range, "the disk cannot read it any more", &report)
    }
    let key = Array(bytes[header.keyRange])
    var value = Array(bytes[header.valueRange])
    if header.kind == .putLarge {
      guard let large = largeValue(value, &report) else { return false }
      value = large
    }
    if let transform = header.transform {
      guard let unpacked = unpacked(value, transform) else {
        return lose(range, "its value cannot be decompressed with what is left", &report)
      }
      value = unpacked
    }
    let expiry: SedimentExpiry = header.expiry == 0 ? .never : .at(milliseconds: header.expiry)
    try space.set(value, forKey: key, expiry: expiry)
    report.byteCount += UInt64(key.count + value.count)
    return true
  }

  private func record(
    _ place: SalvageTable.Place, _ segments: [SalvageSegment]
  ) -> (header: RecordHeader, bytes: [UInt8])? {
    let segment = segments[Int(place.segment)]
    let bytes = (try? surveyed.file.bytes(at: place.offset, count: Int(place.byteCount))) ?? []
    let recordPlace = RecordPlace(
      seed: segment.identity.seed(in: surveyed.identity), base: segment.base ?? .zero,
      offset: UnitOffset(byteOffset: place.offset) ?? .zero)
    guard let header = try? RecordHeader.decode(unsafe bytes.span.bytes, at: recordPlace) else { return nil }
    return (header, bytes)
  }

  /// The bytes of a large value, if all of them are whole.
  private func largeValue(_ stored: [UInt8], _ report: inout SalvageReport) -> [UInt8]? {
    guard let place = try? ValuePlace.decode(unsafe stored.span.bytes) else { return nil }
    var value: [UInt8] = []
    for piece in place.pieces {
      let extent = ExtentReading(piece, of: surveyed.file, surveyed.identity)
      var chunks: [[UInt8]] = []
      let isWhole = try? extent.verify { (bytes, offset) throws(SedimentError) in
        if offset != extent.tableRange.lowerBound { chunks.append(bytes) }
      }
      guard isWhole == true else {
        _ = lose(piece.extent.run.byteRange, "a large value is not whole", &report)
        return nil
      }
      for chunk in chunks { value += chunk }
    }
    return value + stored[place.tailOffset...]
  }

  private func lose(_ range: Range<UInt64>, _ reason: String, _ report: inout SalvageReport) -> Bool {
    report.losses.append(SalvageReport.Loss(range: range, reason: reason, sequences: nil))
    report.lostValueCount += 1
    return false
  }
}

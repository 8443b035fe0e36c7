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
  private var values: SalvageValues
  /// Values that have expired by this time are not copied.
  private let expiredBy: UInt64

  /// Makes the collections whose names are known; what is copied, and what of that is lost, is added to the report.
  init(
    _ surveyed: SurveyedFile, _ plan: SalvagePlan, to store: SedimentStore, _ report: SalvageReport,
    _ values: SalvageValues, leavingOutExpiredBy expiredBy: UInt64 = 0
  ) throws {
    (self.surveyed, segments, self.store, self.report) = (surveyed, plan.segments, store, report)
    spaces = [0: store.defaultCollection]
    self.values = values
    self.expiredBy = expiredBy
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
      try copy(place, to: try space(name.collection), meter)
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

  private mutating func takeDictionaries(_ table: SalvageTable) {
    for (name, place) in table.places where name.collection == CollectionEntry.dictionaries {
      guard !place.isRemoval, let (header, bytes) = record(place),
        let number = unsafe header.dictionaryNumber(in: bytes.span.bytes)
      else { continue }
      values.dictionaries[number] = CompressionDictionary(
        unsafe bytes.span.bytes.extracting(header.valueRange), number: number, level: nil)
    }
  }

  // MARK: Records

  /// Copies one record, or tells what is lost if it or its value is not whole.
  private mutating func copy(
    _ place: SalvageTable.Place, to space: SedimentCollection, _ meter: ProgressMeter
  ) throws {
    let range = place.offset..<place.offset + UInt64(place.byteCount)
    guard let (header, bytes) = record(place) else { return lose(range, "the disk cannot read it any more") }
    if header.expiry != 0, header.expiry <= expiredBy { return }
    let key = Array(bytes[header.keyRange])
    let value: SalvageValues.Value
    switch try values.value(of: header, Array(bytes[header.valueRange]), at: range, meter) {
    case .success(let found): value = found
    case .failure(let loss): return lose(loss.range, loss.reason)
    }
    switch value {
    case .whole(let bytes):
      let expiry: SedimentExpiry = header.expiry == 0 ? .never : .at(milliseconds: header.expiry)
      try space.set(bytes, forKey: key, expiry: expiry)
    case .long(let stored):
      do throws(SedimentError) {
        try space.setStored(stored, forKey: key, expiry: header.expiry)
      } catch {
        // It was whole a moment ago.
        guard error.path == surveyed.file.path, error.code != .cancelled else { throw error }
        return lose(range, SalvageValues.notWhole)
      }
    }
    report.keyCount += 1
    report.byteCount += UInt64(key.count + value.byteCount)
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

  private mutating func lose(_ range: Range<UInt64>, _ reason: String) {
    report.losses.append(SalvageReport.Loss(range: range, reason: reason, sequences: nil))
    report.lostValueCount += 1
  }
}

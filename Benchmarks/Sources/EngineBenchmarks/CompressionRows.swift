internal import BenchmarkHarness
internal import StoreComparison

/// Values of one kind, stored as they are, compressed by zstd alone, and as the store thinks best, beside bare calls of
/// zstd.
struct CompressionRows {
  private let kind: ValueKind
  private let stores: CompressedStores

  init(_ scale: EngineScale, kind: ValueKind, directory: String) throws {
    self.kind = kind
    stores = try CompressedStores(scale, kind: kind, directory: directory)
  }

  var section: Section {
    let byteCount = stores.corpus.bytes.count / max(stores.corpus.count, 1)
    let title =
      "Compressing \(countText(stores.corpus.count)) values: \(kind.text), \(countText(byteCount)) B each"
    let ways = CompressionWay.allCases
    let sets = bareRow(.compress) + ways.map(set) + ways.map(load)
    let reads = bareRow(.decompress) + ways.map(retrieve)
    let sizes = bareRow(.ratio) + ways.map(ratio) + ways.map(disk)
    return Section([BenchmarkGroup(title, sets + reads + sizes)], comparisons)
  }

  // MARK: The stores

  private func set(_ way: CompressionWay) -> Benchmark {
    row(
      "set", way, "set", "new keys, nothing synced",
      "New keys in a store that has a fifth as many other values of the kind and had time to learn from them, in"
        + " short turns with the rows beside it. Then every byte of every value is compared."
    ) { try $0.sets.quietSample(of: .store(way)) }
  }

  private func load(_ way: CompressionWay) -> Benchmark {
    row(
      "load", way, "the same, waits included", "the pages of the file, the disk",
      "The mean of all turns: what the store had to wait for is in it, and the fewer bytes it writes, the less that is."
    ) { try $0.sets.wholeSample(of: .store(way)) }
  }

  private func retrieve(_ way: CompressionWay) -> Benchmark {
    row(
      "retrieve", way, "retrieve", "into a reused buffer",
      "All values in random order, in short turns with the rows beside it. Each is known by its length and by 8"
        + " bytes in its middle."
    ) { try $0.reads.quietSample(of: .store(way)) }
  }

  private func ratio(_ way: CompressionWay) -> Benchmark {
    row(
      "ratio", way, "bytes of values by what they take", "with all that is added to a record",
      "By statistics.liveByteCount: the bytes of values by what their records take more than empty values would.",
      .gain, roundCountMax: 1
    ) { try $0[way].ratio() }
  }

  private func disk(_ way: CompressionWay) -> Benchmark {
    row(
      "disk", way, "disk a byte of values", "keys and stored index included",
      "The blocks allocated to the file once it has only these values and was compacted and closed.", .size,
      roundCountMax: 1
    ) { try $0[way].disk() }
  }

  private func row(
    _ row: String, _ way: CompressionWay, _ name: String, _ meaning: String, _ method: String,
    _ quantity: Quantity = .time, roundCountMax: Int? = nil,
    _ run: @escaping (CompressedStores) throws -> Sample
  ) -> Benchmark {
    Benchmark(
      identifier(row, way), name: "\(name), \(way.text)", meaning: meaning, method: method,
      quantity: quantity, roundCountMax: roundCountMax
    ) {
      try run(stores)
    }
  }

  private func identifier(_ row: String, _ way: CompressionWay) -> String {
    "\(row)-\(way.rawValue)-\(kind.rawValue)"
  }

  // MARK: The bare calls

  private enum BareCall: String {
    case compress
    case decompress
    case ratio
  }

  private func bareRow(_ call: BareCall) -> [Benchmark] {
    guard let bare = stores.bare else { return [] }
    let dictionary =
      kind.hasDictionary ? "a dictionary of \(byteCountText(BareZstd.dictionaryByteCount))" : "no dictionary"
    let isRatio = call == .ratio
    return [
      Benchmark(
        identifier(call),
        name: isRatio ? "bare: bytes of values by those of frames" : "bare: \(call.rawValue)",
        meaning: "zstd of level \(BareZstd.level), \(dictionary)",
        method:
          "A loop of bare calls over the same values one after the other, with the same contexts and buffer."
          + " A frame has no magic number, length or checksum.",
        quantity: isRatio ? .gain : .time, isLimit: true, roundCountMax: isRatio ? 1 : nil
      ) {
        switch call {
        case .compress: try stores.sets.quietSample(of: .bare)
        case .decompress: try stores.reads.quietSample(of: .bare)
        case .ratio: bare.ratio()
        }
      }
    ]
  }

  private func identifier(_ call: BareCall) -> String { "bare-\(call.rawValue)-\(kind.rawValue)" }

  // MARK: What is compared

  private var comparisons: [Comparison] {
    stores.bare == nil
      ? [overhead("set"), overhead("retrieve")]
      : [added("set", .compress), added("retrieve", .decompress)] + ratios
  }

  /// What compression adds to a call, beside the bare one.
  private func added(_ row: String, _ call: BareCall) -> Comparison {
    Comparison(
      "\(row) compressed, less uncompressed, \(kind.text)",
      .difference(of: identifier(row, .automatic), less: identifier(row, .off)), limit: .of(identifier(call)),
      "bare \(call.rawValue) call", target: .atMost(1.25))
  }

  /// What it costs where it cannot win anything.
  private func overhead(_ row: String) -> Comparison {
    Comparison(
      "\(row), \(kind.text)", .of(identifier(row, .automatic)), limit: .of(identifier(row, .off)),
      "the same uncompressed", target: .atMost(1.05))
  }

  private var ratios: [Comparison] {
    let ratio = Comparison.Measure.of(identifier("ratio", .automatic))
    let name = "bytes by what they take, \(kind.text)"
    let frames = Comparison(
      kind.ratioMin == nil ? name : "", ratio, limit: .of(identifier(.ratio)), "by bare frames")
    guard let ratioMin = kind.ratioMin else { return [frames] }
    return [
      Comparison(name, ratio, limit: .constant(ratioMin, .gain), "wanted", target: .atLeast(1)), frames,
    ]
  }
}

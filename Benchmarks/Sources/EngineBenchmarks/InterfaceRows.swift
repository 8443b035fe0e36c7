internal import BenchmarkHarness
internal import StoreComparison

/// What calls take from C and from Python, beside those from Swift and other stores of Python.
struct InterfaceRows {
  private static let pythonStores = ["sediment", "dbm.gnu", "sqlite3", "lmdb"]

  private let keyCount: Int
  private let store: InterfaceStore
  private let pythonStores: [PythonStore]

  init(_ scale: EngineScale, directory: String) {
    keyCount = scale.keyCount
    store = InterfaceStore(scale, directory: directory)
    pythonStores = Self.pythonStores.map { PythonStore($0, keyCount: scale.keyCount, directory: directory) }
  }

  var section: Section {
    let size = "\(countText(keyCount)) keys with values of \(InterfaceStore.valueByteCount) B"
    return Section(
      [
        BenchmarkGroup("From Swift and from C: \(size)", rows("swift", "Swift") + rows("c", "C")),
        BenchmarkGroup("From Python: \(size)", pythonStores.flatMap(rows)),
      ],
      ["set", "get", "read"].map { call in
        Comparison(
          "\(call) from C", .of("interface-c-\(call)"), limit: .of("interface-swift-\(call)"), "from Swift")
      }
        + ["set", "get"].flatMap { call in
          Self.pythonStores.dropFirst().map { other in
            Comparison(
              "\(call) from Python", .of("interface-python-\(other)-\(call)"),
              limit: .of("interface-python-sediment-\(call)"), "Sediment; this is \(other)")
          }
        })
  }

  private func rows(_ language: String, _ name: String) -> [Benchmark] {
    let method =
      "Nothing is synced or compressed. Keys lie one behind the other in the order in which they are used."
    let isC = language == "c"
    return [
      Benchmark(
        "interface-\(language)-set", name: "set, from \(name)", meaning: "keys that are new", method: method,
        run: isC ? store.setFromC : store.setFromSwift),
      Benchmark(
        "interface-\(language)-get", name: "get into a buffer, from \(name)", meaning: "in another order",
        method: method, run: isC ? store.getFromC : store.getFromSwift),
      Benchmark(
        "interface-\(language)-read", name: "read in place, from \(name)", meaning: "in another order",
        method: method, run: isC ? store.readFromC : store.readFromSwift),
    ]
  }

  private func rows(_ store: PythonStore) -> [Benchmark] {
    let method = "A process of its own; see Benchmarks/Python/measure.py."
    return [
      Benchmark(
        "interface-python-\(store.name)-set", name: "set: \(store.name)", meaning: "keys that are new",
        method: method, run: store.set),
      Benchmark(
        "interface-python-\(store.name)-get", name: "get: \(store.name)", meaning: "in another order",
        method: method, run: store.get),
    ]
  }
}

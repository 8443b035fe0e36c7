internal import BenchmarkHarness
internal import Foundation
internal import Shallows

/// Values that are coded, beside the coder alone.
struct CodingRows {
  private let rows: StorageRows
  private let storages: BenchmarkStorages
  private let divisor = 40

  init(_ storages: BenchmarkStorages, callCount: Int) {
    rows = StorageRows(storages: storages, callCount: callCount)
    self.storages = storages
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Values as JSON, in the log", [encode, setEncoded, set, decode, retrieveEncoded, retrieve])
      ],
      [
        ratio("a set as JSON", "json-set", "json-encode", "json-log-set"),
        ratio("a retrieve as JSON", "json-retrieve", "json-decode", "json-log-retrieve"),
      ])
  }

  /// Beside the coder alone; what the log takes of the same bytes, compressing them if they gain by it, has rows of its
  /// own.
  private func ratio(_ name: String, _ row: String, _ coder: String, _ log: String) -> Comparison {
    Comparison(
      name, .difference(of: "storage-" + row, less: "storage-" + log), limit: .of("storage-" + coder),
      "the coder alone, the log taken off", target: .atMost(1.1))
  }

  private var encoded: [Result<Data, any Error>] {
    let encoder = JSONEncoder()
    return (0..<BenchmarkStorages.keyCount).map { number in Result { try encoder.encode(City(number)) } }
  }

  private var encode: Benchmark {
    let (encoder, cities) = (JSONEncoder(), (0..<BenchmarkStorages.keyCount).map(City.init))
    return rows.row("json-encode", "bare: encode", "JSONEncoder", divisor: divisor, isLimit: true) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for number in keys.indices {
          tally.sum += try encoder.encode(cities[number]).isEmpty ? -1 : number
        }
      }
    }
  }

  private var decode: Benchmark {
    let (decoder, cities) = (JSONDecoder(), encoded)
    return rows.row("json-decode", "bare: decode", "JSONDecoder", divisor: divisor, isLimit: true) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for number in keys.indices {
          tally.sum += try decoder.decode(City.self, from: cities[number].get()).foundationYear - 1_000
        }
      }
    }
  }

  private var setEncoded: Benchmark {
    let (storage, cities) = (storages.encodedCities, encoded)
    return rows.row("json-log-set", "set, encoded before", "the same bytes in the log", divisor: divisor) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          storage.set(try cities[number].get(), forKey: key) { tally.sum += $0.isSuccess ? number : -1 }
        }
      }
    }
  }

  private var retrieveEncoded: Benchmark {
    let storage = storages.encodedCities
    return rows.row(
      "json-log-retrieve", "retrieve, not decoded", "the same bytes in the log", divisor: divisor
    ) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          storage.retrieve(forKey: key) { tally.sum += ($0.value?.isEmpty ?? true) ? -1 : number }
        }
      }
    }
  }

  private var set: Benchmark {
    let (storage, cities) = (storages.cities, (0..<BenchmarkStorages.keyCount).map(City.init))
    return rows.row("json-set", "set", "mapJSONObject over the log", divisor: divisor) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          storage.set(cities[number], forKey: key) { tally.sum += $0.isSuccess ? number : -1 }
        }
      }
    }
  }

  private var retrieve: Benchmark {
    let storage = storages.cities
    return rows.row("json-retrieve", "retrieve", "mapJSONObject over the log", divisor: divisor) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys {
          storage.retrieve(forKey: key) { tally.sum += ($0.value?.foundationYear ?? 0) - 1_000 }
        }
      }
    }
  }
}

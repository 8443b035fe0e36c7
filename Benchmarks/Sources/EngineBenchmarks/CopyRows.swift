internal import BenchmarkHarness
internal import StoreComparison

/// A backup of an open store beside a plain copy of its file, and its verification beside a plain reading.
struct CopyRows {
  private let store: CopiedStore
  private let scale: EngineScale

  init(_ scale: EngineScale, directory: String) throws {
    self.scale = scale
    store = try CopiedStore(scale, directory: directory)
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Copying \(countText(scale.keyCount)) keys, values of \(CopiedStore.valueByteCount) B",
          [
            row(
              "copy-bare", "bare: a copy of the file", "1 MiB a call, then synced",
              "The file is read from the page cache and written to a new one, which is synced.",
              isLimit: true, store.copy),
            row(
              "backup", "backup", "until it is on the disk under its name",
              "A backup of the open store, which is opened then; all its keys are read and compared. Where files can"
                + " share their blocks it is no copy.",
              store.backUp),
            row(
              "copy-read", "bare: pread of the file", "1 MiB a call, from the page cache",
              "The backup is read from one end to the other.", isLimit: true, store.read),
            row(
              "verify", "verify", "all of its bytes, and what the index would say",
              "The backup is verified.", store.verify),
          ])
      ],
      [
        Comparison(
          "backup", .of("backup"), limit: .of("copy-bare"), "copy of the file", target: .atLeast(0.5)),
        Comparison("verify", .of("verify"), limit: .of("copy-read"), "plain read of the file"),
      ])
  }

  private func row(
    _ identifier: String, _ name: String, _ meaning: String, _ method: String, isLimit: Bool = false,
    _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      identifier, name: name, meaning: meaning, method: method, quantity: .bandwidth, isLimit: isLimit,
      roundCountMax: scale.slowRoundCount, run: run)
  }
}

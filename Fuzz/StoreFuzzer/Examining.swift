internal import FuzzStores
internal import Sediment
internal import SedimentTesting

private let saved = "/data/saved"

/// Verifies and salvages a file; one that is said to be intact can be read, and what is salvaged is intact.
func examine(_ damaged: DamagedStore) {
  let disk = damaged.disk()
  let allowed: Set<SedimentError.Code> = [.foreign, .damaged, .newer, .exhausted]
  let byteCount = disk.allocatedByteCount(of: SeedStore.path) ?? 0
  let verified = outcome {
    try SedimentStore.verify(path: SeedStore.path, on: disk)
  }
  expectCost(disk, byteCount, "verifying")
  switch verified {
  case .success(let report):
    if report.isIntact { expectReadable(damaged) }
  case .failure(let error): expect(allowed.contains(error.code), "verifying: \(error)")
  }
  let before = disk.readByteCount
  let salvaged = outcome {
    try SedimentStore.salvage(from: SeedStore.path, to: saved, on: disk, keepsUncertain: true)
  }
  expectCost(disk, byteCount, since: before, "salvaging")
  switch salvaged {
  case .success(let report): expectSound(disk, damaged, report)
  case .failure(let error):
    expect(allowed.contains(error.code), "salvaging: \(error)")
    expect(disk.paths == [SeedStore.path], "left behind: \(disk.paths)")
  }
  expectNoViolations(disk)
}

/// What a survey may read for each byte that the file has on the disk; an empty one takes some windows, too.
private func expectCost(_ disk: SimulatedDisk, _ byteCount: UInt64, since start: UInt64 = 0, _ call: String) {
  let cost = disk.readByteCount - start
  expect(cost <= 64 * byteCount + 8 << 20, "\(call): \(cost) bytes read of a file of \(byteCount)")
}

/// An intact store opens, and shows the same by its stored index as by its records.
private func expectReadable(_ damaged: DamagedStore) {
  let contents = [true, false].map { usesStoredIndex -> StoreContents? in
    let opened = outcome {
      try SeedStore.open(damaged.disk()) { options in
        options.readOnly = true
        options.storesIndex = usesStoredIndex
      }
    }
    switch opened {
    case .success(let store):
      let reading = StoreReading(store)
      _ = outcome { try store.close() }
      return reading.isWhole ? reading.contents : nil
    case .failure(let error):
      expect(false, "an intact store cannot be opened: \(error)")
      return nil
    }
  }
  guard let indexed = contents[0], let scanned = contents[1] else { return }
  expect(indexed == scanned, "intact, and by the index \(indexed.summary), by a scan \(scanned.summary)")
}

/// What was saved is a store in order, with as many keys as were reported, and no value that never was.
private func expectSound(_ disk: SimulatedDisk, _ damaged: DamagedStore, _ report: SalvageReport) {
  let findings = outcome { try SedimentStore.verify(path: saved, on: disk).findings }
  guard case .success(let found) = findings, found.isEmpty else {
    return expect(false, "the salvaged store: \(findings)")
  }
  let copy = SeedStore.disk(holding: disk.contents(of: saved) ?? [])
  guard case .success(let store) = outcome({ try SeedStore.open(copy) }) else {
    return expect(false, "the salvaged store cannot be opened")
  }
  let reading = StoreReading(store)
  _ = outcome { try store.close() }
  // What is expired counts as saved, and a value that cannot be decompressed was not looked at.
  guard reading.isWhole, !damaged.isForged else { return }
  for place in reading.contents.places where place.collection.isEmpty {
    expect(
      damaged.seed.states.contains { isSame($0[place]?.value, reading.contents[place]?.value) },
      "\(damaged.seed.name) never had what was saved for \(place)")
  }
  expect(
    reading.contents.places.count <= Int(report.keyCount + report.uncertainKeyCount), "more keys than said")
}

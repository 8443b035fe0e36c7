internal import FuzzStores
internal import Sediment
internal import SedimentTesting

private let saved = "/data/saved"

/// Verifies and salvages a file; one that is said to be intact can be read, and what is salvaged is intact.
func examine(_ damaged: DamagedStore) {
  let disk = damaged.disk()
  let allowed: Set<SedimentError.Code> = [.foreign, .damaged, .newer, .exhausted]
  switch outcome({ try SedimentStore.verify(path: SeedStore.path, on: disk) }) {
  case .success(let report):
    if report.isIntact { expectReadable(damaged) }
  case .failure(let error): expect(allowed.contains(error.code), "verifying: \(error)")
  }
  let salvaged = outcome {
    try SedimentStore.salvage(from: SeedStore.path, to: saved, on: disk, keepsUncertain: true)
  }
  switch salvaged {
  case .success(let report): expectSound(disk, damaged, report)
  case .failure(let error):
    expect(allowed.contains(error.code), "salvaging: \(error)")
    expect(disk.paths == [SeedStore.path], "left behind: \(disk.paths)")
  }
  expectNoViolations(disk)
}

/// It may say that only a newer version may write it.
private func expectReadable(_ damaged: DamagedStore) {
  let opened = outcome {
    try SeedStore.open(damaged.disk()) { options in
      options.readOnly = true
      options.storesIndex = false
    }
  }
  switch opened {
  case .success(let store): _ = outcome { try store.close() }
  case .failure(let error): expect(false, "an intact store cannot be opened: \(error)")
  }
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

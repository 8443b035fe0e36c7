internal import FuzzStores
internal import Sediment

/// Opens a file for writing, uses the store, and opens it again in both ways.
func use(
  _ damaged: DamagedStore, _ uses: Uses, _ access: SedimentOptions.Access, usesStoredIndex: Bool
) {
  let disk = damaged.disk()
  let opened = outcome {
    try SeedStore.open(disk) { options in
      options.access = access
      options.storesIndex = usesStoredIndex
    }
  }
  guard case .success(let store) = opened else { return expectNoViolations(disk) }
  let reading = StoreReading(store, known: damaged.seed.places)
  compare(reading, with: damaged, usesStoredIndex: usesStoredIndex)
  // Records that were forged behind an index's back need not be those that it takes them for.
  let isMisled = damaged.isForged && usesStoredIndex
  let isCertain = reading.isWhole && !isMisled
  // A forged key may bring back a large value whose slots were freed, and which the next change takes.
  let isKept = reading.isWhole && (!damaged.isForged || isConsistent(damaged))
  var session = Session(store, reading.contents, isMisled ? .none : isKept ? .all : .touched)
  session.carryOut(uses, on: disk)
  session.compare("after its use")
  let isClosed = session.close()
  expectNoViolations(disk)
  for usesStoredIndex in [true, false] {
    let again = outcome { try SeedStore.open(disk) { $0.storesIndex = usesStoredIndex } }
    switch again {
    case .success(let store):
      // The index may be the one behind whose back they were forged.
      if isClosed, !damaged.isForged || !usesStoredIndex || session.hasStoredIndex {
        session.compare(StoreReading(store), "opened again, index \(usesStoredIndex)")
      }
      _ = outcome { try store.close() }
    case .failure(let error):
      expect(!isClosed || !isCertain, "it cannot be opened again: \(error)")
    }
  }
  expectNoViolations(disk)
}

/// Whether the parts of a file say the same, as those of every file do that the engine wrote.
private func isConsistent(_ damaged: DamagedStore) -> Bool {
  let report = outcome { try SedimentStore.verify(path: SeedStore.path, on: damaged.disk()) }
  guard case .success(let report) = report else { return false }
  return report.isIntact
}

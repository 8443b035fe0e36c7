internal import FuzzStores
internal import Sediment

/// Opens a file for reading, by its stored index and, if told so, by a scan as well, and reads all of it.
func read(_ damaged: DamagedStore, alsoScanning scans: Bool) {
  let disk = damaged.disk()
  for usesStoredIndex in scans ? [true, false] : [true] {
    let opened = outcome {
      try SeedStore.open(disk) { options in
        options.readOnly = true
        options.storesIndex = usesStoredIndex
      }
    }
    switch opened {
    case .success(let store):
      compare(StoreReading(store, known: damaged.seed.places), with: damaged)
      _ = outcome { try store.close() }
    case .failure(let error):
      // What the catalogue says of the index may contradict what it says of the rest.
      expect(damaged.isForged, "it cannot be opened: \(error)")
    }
  }
  expectNoViolations(disk)
}

/// Opens a file for writing by its stored index, uses the store, and opens it again by a scan.
func use(_ damaged: DamagedStore, _ uses: Uses, _ access: SedimentOptions.Access) {
  let disk = damaged.disk()
  let opened = outcome { try SeedStore.open(disk) { $0.access = access } }
  guard case .success(let store) = opened else { return expectNoViolations(disk) }
  let reading = StoreReading(store, known: damaged.seed.places)
  // Where the index lies, compaction takes what lives for dead, and a removal may find nothing to remove.
  var session = Session(store, reading.contents, damaged.isForged ? .none : .all)
  session.carryOut(uses, on: disk)
  session.compare("after its use")
  let isClosed = session.close()
  expectNoViolations(disk)
  switch outcome({ try SeedStore.open(disk) { $0.storesIndex = false } }) {
  case .success(let store):
    if isClosed { session.compare(StoreReading(store), "opened again") }
    _ = outcome { try store.close() }
  case .failure(let error):
    expect(!isClosed || damaged.isForged, "it cannot be opened again: \(error)")
  }
  expectNoViolations(disk)
}

/// All is there unless the index was forged; what is there is the key's own in any case.
private func compare(_ reading: StoreReading, with damaged: DamagedStore) {
  for place in reading.contents.places {
    let value = reading.contents[place]?.value
    expect(
      damaged.seed.states.contains { isSame($0[place]?.value, value) },
      "\(damaged.seed.name): \(place) has another key's value")
  }
  guard !damaged.isForged else { return }
  expect(
    reading.isWhole && reading.contradictions.isEmpty && reading.contents == damaged.seed.last,
    "\(damaged.seed.name): \(reading.contents.summary)")
}

internal import FuzzStores
internal import Sediment
internal import SedimentTesting

/// Opens a file for reading, by its stored index and by a scan; where it was not forged, both show the same.
func compareWays(_ damaged: DamagedStore) {
  let disk = damaged.disk()
  let ways = [true, false].map { usesStoredIndex -> StoreReading? in
    let opened = outcome {
      try SeedStore.open(disk) { options in
        options.readOnly = true
        options.storesIndex = usesStoredIndex
      }
    }
    guard case .success(let store) = opened else { return nil }
    let reading = StoreReading(store, known: damaged.seed.places)
    _ = outcome { try store.close() }
    compare(reading, with: damaged, usesStoredIndex: usesStoredIndex)
    return reading
  }
  expectNoViolations(disk)
  guard !damaged.isForged, let indexed = ways[0], let scanned = ways[1] else { return }
  if indexed.isWhole, scanned.isWhole {
    expect(
      indexed.contents == scanned.contents,
      "by the index \(indexed.contents.summary), by a scan \(scanned.contents.summary)")
  }
}

/// What was read is what the seed held at some time, unless the file was forged.
func compare(_ reading: StoreReading, with damaged: DamagedStore, usesStoredIndex: Bool) {
  if damaged.isForged {
    // An index may be older than the records that were forged behind its back.
    expect(usesStoredIndex || reading.contradictions.isEmpty, "contradictions: \(reading.contradictions)")
    return
  }
  expect(reading.contradictions.isEmpty, "contradictions: \(reading.contradictions)")
  for place in reading.contents.places {
    guard let entry = reading.contents[place] else { continue }
    // The expiry of a value whose reading ended early is not known.
    let isKnown = !reading.isWhole || damaged.seed.everHad(entry, at: place)
    expect(isKnown, "\(damaged.seed.name) never had the value of \(place)")
    expect(
      damaged.seed.states.contains { isSame($0[place]?.value, entry.value) },
      "\(damaged.seed.name) never had the value of \(place)")
  }
  expect(
    !reading.isWhole || damaged.seed.states.contains(reading.contents),
    "\(damaged.seed.name) never held \(reading.contents.summary)")
}

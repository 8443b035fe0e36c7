internal import FuzzStores
internal import Sediment
internal import SedimentTesting

/// Opens a file and reads all values, in two ways; then moves them all, and reads them again.
///
/// `byteCounts` has the lengths of those that were forged. The others are as they were unless the seed's own bytes were
/// edited, too.
func read(
  _ damaged: DamagedStore, _ byteCounts: [StoreContents.Place: Int], isEdited: Bool,
  _ access: SedimentOptions.Access, _ compression: SedimentCompression, moves: Bool
) {
  let disk = damaged.disk()
  let opened = outcome {
    try SeedStore.open(disk) { options in
      options.access = access
      options.compression = compression
    }
  }
  guard case .success(let store) = opened else {
    return expect(isEdited, "it cannot be opened: \(opened)")
  }
  let places = damaged.seed.places + byteCounts.keys.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  let before = places.map { value(of: $0, in: store, isEdited: isEdited) }
  for (place, found) in zip(places, before) {
    if let byteCount = byteCounts[place], !isEdited { expectLength(found, byteCount, place) }
    if byteCounts[place] == nil, !isEdited { expectSame(found, damaged.seed, place) }
  }
  if moves { move(places, before, in: store, isEdited: isEdited) }
  let isClosed = outcome { try store.close() }
  expectNoViolations(disk)
  if case .success(let again) = outcome({ try SeedStore.open(disk) }) {
    if case .success = isClosed { compare(places, before, in: again, "opened again", isEdited: isEdited) }
    _ = outcome { try again.close() }
  } else {
    expect(isEdited, "it cannot be opened again")
  }
  expectNoViolations(disk)
}

/// Lets compaction move every value, by making most of what is beside it dead.
private func move(
  _ places: [StoreContents.Place], _ before: [Result<[UInt8]?, SedimentError>], in store: SedimentStore,
  isEdited: Bool
) {
  for number in 0..<12 {
    _ = outcome { try store.set([UInt8](repeating: 1, count: 4_000), forKey: "filler", expiry: .never) }
    if number == 11 { _ = outcome { try store.remove(forKey: "filler") } }
  }
  _ = outcome { try store.compact() }
  compare(places, before, in: store, "after compaction", isEdited: isEdited)
}

/// A value in two ways, which agree; but an edited one, or one whose dictionary was edited, may be read once and be
/// damaged at the next time, since zstd has a decoder for the first use of a dictionary and another one for later uses,
/// and they do not agree about frames that no compressor makes.
private func value(
  of place: StoreContents.Place, in store: SedimentStore, isEdited: Bool
) -> Result<[UInt8]?, SedimentError> {
  let found = outcome { try store.retrieve(forKey: place.key) }
  let inPlace = outcome { try store.withValue(forKey: place.key) { [UInt8](sedimentBytes: $0) } }
  switch (found, inPlace) {
  case (.success(let one), .success(let other)): expect(isSame(one, other), "\(place) reads in two ways")
  case (.failure(let one), .failure(let other)): expect(one.code == other.code, "\(one) and \(other)")
  case (.success, .failure(let error)), (.failure(let error), .success):
    expect(isEdited && error.code == .damaged, "\(place) can be read in one way only: \(error)")
    return .failure(error)
  }
  return found
}

private func expectLength(
  _ found: Result<[UInt8]?, SedimentError>, _ byteCount: Int, _ place: StoreContents.Place
) {
  switch found {
  case .success(let value): expect(value?.count == byteCount, "\(place) has \(value?.count ?? -1) bytes")
  case .failure(let error):
    expect(error.code == .damaged || error.code == .newer, "\(place): \(error)")
  }
}

private func expectSame(
  _ found: Result<[UInt8]?, SedimentError>, _ seed: SeedStore, _ place: StoreContents.Place
) {
  guard case .success(let value) = found else { return expect(false, "\(place): \(found)") }
  expect(isSame(value, seed.last[place]?.value), "\(place) is another one")
}

/// What could be read reads the same, and what could not does not.
private func compare(
  _ places: [StoreContents.Place], _ before: [Result<[UInt8]?, SedimentError>], in store: SedimentStore,
  _ moment: String, isEdited: Bool
) {
  for (place, old) in zip(places, before) {
    switch (old, value(of: place, in: store, isEdited: isEdited)) {
    case (.success(let old), .success(let new)): expect(isSame(old, new), "\(moment): \(place) is another")
    case (.failure(let old), .failure(let new)): expect(old.code == new.code, "\(moment): \(old), \(new)")
    case (.success, .failure(let error)), (.failure(let error), .success):
      expect(isEdited && error.code == .damaged, "\(moment): \(place): \(error)")
    }
  }
}

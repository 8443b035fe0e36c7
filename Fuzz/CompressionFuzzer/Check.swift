internal import FuzzStores
internal import FuzzSupport
internal import Sediment

/// Reads compressed values that are not what they say, in records whose checksums are right.
///
/// The first byte names the seed, the second says how it is opened and how many values are forged; then come these, and
/// edits of the values and dictionaries that the seed has. Ends the program if a value has another length than its
/// record says, or if one that can be read reads otherwise after it was moved.
func check(_ input: [UInt8]) {
  if crashIsPlanted { return crashOnWord(input) }
  var reader = InputReader(input)
  let seed = SeedStore.compressed[reader.number(below: SeedStore.compressed.count)]
  let way = reader.byte()
  let forged = forge(Int(way & 3), upon: seed, &reader)
  let isEdited = !reader.isAtEnd
  let damaged = DamagedStore(
    &reader, of: seed, mending: isEdited ? Mender.Rule() : nil, startingFrom: forged.bytes
  ) { [.compressed, .dictionary, .extent].contains($0.kind) }
  let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
  let compressions: [SedimentCompression] = [.automatic, .off, .zstd(level: 3)]
  read(
    damaged, forged.byteCounts, isEdited: isEdited, accesses[Int(way >> 2 & 3) % 3],
    compressions[Int(way >> 4 & 3) % 3], moves: way & 64 != 0)
}

/// The bytes of a seed with forged values behind its log, and the lengths that these must have.
private func forge(
  _ count: Int, upon seed: SeedStore, _ reader: inout InputReader
) -> (bytes: [UInt8], byteCounts: [StoreContents.Place: Int]) {
  guard count > 0, var forger = Forger(seed.bytes) else { return (seed.bytes, [:]) }
  // A seed may have large values only, which are no frames.
  let frames = Forger.frames(in: seed.bytes) + Forger.frames(in: SeedStore.compressed[0].bytes)
  var byteCounts: [StoreContents.Place: Int] = [:]
  for number in 0..<count {
    let place = StoreContents.Place("forged \(number)")
    let frame = forgedFrame(frames, &reader)
    if forger.put(place.key, frame) { byteCounts[place] = Int(frame.originalByteCount) }
  }
  return (forger.bytes, byteCounts)
}

/// A frame of the seed that was changed, or bytes of the input in its place.
private func forgedFrame(_ frames: [Forger.Frame], _ reader: inout InputReader) -> Forger.Frame {
  var frame = frames[reader.number(below: frames.count)]
  let changes = reader.byte()
  if changes & 1 != 0 { frame.bytes = reader.bytes(Int(reader.byte())) }
  if changes & 2 != 0 { frame.bytes.removeLast(reader.number(below: frame.bytes.count + 1)) }
  if changes & 4 != 0 { frame.bytes += reader.bytes(Int(reader.byte() & 31)) }
  if changes & 8 != 0 {
    // All of the byte but the bit that says how long the transform is.
    frame.compression = reader.byte() & 0xf7
  }
  if changes & 16 != 0 { frame.dictionary = UInt32(reader.number(below: 4)) }
  if changes & 32 != 0 {
    let length = UInt32(reader.number())
    frame.originalByteCount = length << (UInt32(reader.byte()) % 15)
  }
  for _ in 0..<Int(changes >> 6) * 2 where !frame.bytes.isEmpty {
    frame.bytes[reader.number(below: frame.bytes.count)] ^= reader.byte()
  }
  return frame
}

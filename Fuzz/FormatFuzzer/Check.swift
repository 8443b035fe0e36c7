internal import FuzzSupport
internal import SedimentFormat

/// Decodes the input behind its first byte, which names the structure: as it is, and again with the checksum that
/// it must have, without which no mutation would ever get past it.
///
/// Ends the program unless what decodes encodes to the same bytes and decodes to the same value.
func check(_ input: [UInt8]) {
  guard let selector = input.first else { return }
  let bytes = Array(input.dropFirst())
  if crashIsPlanted { return crashOnWord(input) }
  let place = place(selector >> 3)
  switch selector & 7 {
  case 0: checkBoth(bytes, { mendBlock(&$0, 4096) }, checkSuperblock)
  case 1: checkBoth(bytes, { mendBlock(&$0, 64) }, checkOwnerNote)
  case 2: checkBoth(bytes, { mendBlock(&$0, 128) }, checkSegmentHeader)
  case 3: checkBoth(bytes, { mendRecord(&$0, at: place) }, { checkRecord($0, at: place) })
  case 4: checkValuePlace(bytes)
  case 5: checkControlRecord(bytes)
  case 6: checkIndexPart(bytes, partitionCount: Int(selector >> 3) + 1)
  default: checkCatalogueEntry(bytes)
  }
}

private func checkBoth(_ bytes: [UInt8], _ mend: (inout [UInt8]) -> Void, _ check: ([UInt8]) -> Void) {
  check(bytes)
  var mended = bytes
  mend(&mended)
  if mended != bytes { check(mended) }
}

// MARK: Mending

private let file = FileIdentity(low: 1, high: 2)!
private let segment = SegmentIdentity(
  run: SlotRun(first: 2, count: 2)!, kind: .hot, generation: .first, salt: 3)

/// Places of several bases, so that sequences are completed around the edges of their 48 bits.
private func place(_ number: UInt8) -> RecordPlace {
  let bases: [UInt64] = [0, 1 << 48 - 1, 5 << 48 + 77, Limits.sequenceMax - 3]
  return RecordPlace(
    seed: segment.seed(in: file), base: SequenceNumber(bases[Int(number) % bases.count])!,
    offset: segment.recordRange.lowerBound)
}

/// Stores at offset 8 the checksum of the bytes from 12 to `end`, as all blocks but records have it.
private func mendBlock(_ bytes: inout [UInt8], _ end: Int) {
  guard bytes.count >= end else { return }
  let checksum = Checksum.empty.continued(with: unsafe bytes.span.bytes.extracting(12..<end))
  var elements = bytes.mutableSpan
  var span = unsafe elements.mutableBytes
  span.store(checksum.rawValue, at: 8)
}

private func mendRecord(_ bytes: inout [UInt8], at place: RecordPlace) {
  guard let claimed = try? unsafe RecordHeader.claimedByteCount(bytes.span.bytes) else { return }
  guard claimed >= Limits.recordFixedByteCount, claimed <= bytes.count, claimed % 8 == 0 else {
    fail("a record claims \(claimed) of \(bytes.count) bytes")
  }
  let checksum = place.checksum(of: unsafe bytes.span.bytes.extracting(0..<claimed))
  var elements = bytes.mutableSpan
  var span = unsafe elements.mutableBytes
  span.store(checksum.rawValue, at: 0)
}

// MARK: Blocks

private func checkSuperblock(_ bytes: [UInt8]) {
  for copy in Superblock.Copy.allCases {
    guard let block = try? unsafe Superblock.decode(bytes.span.bytes, copy: copy) else { continue }
    let made = block.encode()
    // A later minor version's number and what it puts into reserved bytes are not kept.
    expectEqual(made, bytes, over: 4096, except: [8..<12, 14..<16, 70..<72, 156..<160, 184..<4096])
    expect(unsafe (try? Superblock.decode(made.span.bytes, copy: copy)) == block, "another superblock")
    expect(unsafe (try? Superblock.decode(made.span.bytes, copy: copy.other)) == nil, "a superblock as both")
    expect(block.features.mayRead, "a superblock that may not be read")
    expect(block.segment.holdsRecord(at: block.checkpoint), "a checkpoint outside of its segment")
  }
}

private func checkOwnerNote(_ bytes: [UInt8]) {
  guard let note = try? unsafe OwnerNote.decode(bytes.span.bytes) else { return }
  let made = note.encode()
  expectEqual(made, bytes, over: 64, except: [8..<16, 32..<64])
  expect(unsafe (try? OwnerNote.decode(made.span.bytes)) == note, "another note")
}

private func checkSegmentHeader(_ bytes: [UInt8]) {
  for slot in 2...9 as ClosedRange<UInt32> {
    guard let (file, header) = try? unsafe SegmentHeader.decode(bytes.span.bytes, at: slot) else { continue }
    let made = header.encode(in: file)
    // What version 0.1 has at 88 is not kept.
    expectEqual(made, bytes, over: 128, except: [8..<12, 88..<92])
    expect(
      unsafe (try? SegmentHeader.decode(made.span.bytes, in: file, at: slot)) == header, "another header")
    expect(header.identity.run.first == slot, "a header of another slot")
  }
}

// MARK: Records

private func checkRecord(_ bytes: [UInt8], at place: RecordPlace) {
  guard let header = try? unsafe RecordHeader.decode(bytes.span.bytes, at: place) else { return }
  let byteCount = header.byteCount
  expect(byteCount <= bytes.count && byteCount % 8 == 0, "a record beyond its bytes")
  expect(header.valueRange.upperBound <= byteCount, "fields beyond their record")
  expect(header.violation == nil, "a record that breaks a rule")
  let whole = Array(bytes[..<byteCount])
  let made = encoded(byteCount: byteCount) { span in
    header.encode(into: &span)
    for range in [header.keyRange, header.valueRange] {
      span.copy(unsafe whole.span.bytes.extracting(range), at: range.lowerBound)
    }
    RecordHeader.seal(&span, at: place)
  }
  expectEqual(made, whole, over: byteCount)
  expect(unsafe (try? RecordHeader.decode(made.span.bytes, at: place)) == header, "another record")
  let elsewhere = RecordPlace(
    seed: Checksum(place.seed.rawValue ^ UInt32(truncatingIfNeeded: byteCount)), base: place.base,
    offset: place.offset)
  expect(
    unsafe (try? RecordHeader.decode(made.span.bytes, at: elsewhere)) == nil, "a record under two seeds")
  let value = Array(whole[header.valueRange])
  switch header.kind {
  case .putLarge: checkValuePlace(value)
  case .control: checkControlRecord(value)
  case .put, .remove: break
  }
}

private func checkValuePlace(_ bytes: [UInt8]) {
  guard let place = try? unsafe ValuePlace.decode(bytes.span.bytes) else { return }
  let made = place.encode() + bytes[place.tailOffset...]
  expectEqual(made, bytes, over: bytes.count)
  expect(unsafe (try? ValuePlace.decode(made.span.bytes)) == place, "another place")
  expect(place.storedByteCount <= UInt64(Limits.valueByteCountMax), "a value beyond the limit")
  for piece in place.pieces {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let extent = piece.extent.run.byteRange
    let end = layout.tableOffset + UInt64(layout.tableByteCount)
    expect(end <= extent.upperBound - extent.lowerBound, "a piece beyond its extent")
    expect(layout.chunk(layout.chunkCount - 1).upperBound == piece.storedByteCount, "a piece of other chunks")
  }
}

private func checkControlRecord(_ bytes: [UInt8]) {
  guard let control = try? unsafe ControlRecord.decode(bytes.span.bytes) else { return }
  if case .ignorable(let type) = control {
    expect(type >= 0x80 && type == bytes[0], "a control record passed over")
    return
  }
  guard let made = control.encode() else { fail("a control record that cannot be made") }
  expectEqual(made, bytes, over: bytes.count)
  expect(unsafe (try? ControlRecord.decode(made.span.bytes)) == control, "another control record")
}

// MARK: Entries

/// Decodes entry after entry, as lists of them are.
private func checkCatalogueEntry(_ bytes: [UInt8]) {
  var offset = 0
  while let (entry, byteCount) = try? unsafe CatalogueEntry.decode(bytes.span.bytes, at: offset) {
    expect(byteCount >= 8 && byteCount % 8 == 0 && byteCount <= bytes.count - offset, "an entry's length")
    expect(entry.byteCount == byteCount, "an entry of two lengths")
    let made = encoded(byteCount: byteCount) { entry.encode(into: &$0, at: 0) }
    expectEqual(made, Array(bytes[offset..<offset + byteCount]), over: byteCount)
    expect(unsafe (try? CatalogueEntry.decode(made.span.bytes, at: 0))?.entry == entry, "another entry")
    offset += byteCount
  }
}

/// The words of a part behind two bytes that say how many entries it has.
private func checkIndexPart(_ bytes: [UInt8], partitionCount: Int) {
  guard bytes.count >= 2 else { return }
  let entryCount = UInt64(bytes[0]) | UInt64(bytes[1]) << 8
  let words = Array(bytes.dropFirst(2))
  let head = try? unsafe IndexPartHead.decode(
    words.span.bytes, partitionCount: partitionCount, entryCount: entryCount)
  guard let head else { return }
  expect(UInt64(head.wordCount) + entryCount == UInt64(words.count / 8), "a head of another length")
  var pages = IndexPages()
  head.encode(into: &pages)
  expect(pages.wordCount == head.wordCount, "a head of two lengths")
  let made = pages.words.enumerated().filter { $0.offset % (IndexPage.wordCountMax + 1) > 0 }.flatMap {
    word in
    (0..<8).map { UInt8(truncatingIfNeeded: word.element.littleEndian >> ($0 * 8)) }
  }
  expectEqual(made, words, over: made.count)
}

// MARK: Expectations

private func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
  if !holds { fail(otherwise()) }
}

/// The first `count` bytes are the same in both, but for those of the ranges.
private func expectEqual(
  _ made: [UInt8], _ given: [UInt8], over count: Int, except ranges: [Range<Int>] = []
) {
  expect(made.count == count && given.count >= count, "\(made.count) bytes made of \(given.count)")
  for offset in 0..<count where made[offset] != given[offset] {
    expect(ranges.contains { $0.contains(offset) }, "byte \(offset) is another one")
  }
}

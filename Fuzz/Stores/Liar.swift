internal import SedimentFormat

/// Changes a store's file so that it lies, and all its checksums are right.
struct Liar {
  var bytes: [UInt8]
  let dice: Dice
  private let original: [UInt8]
  private let rule: Mender.Rule

  /// No lie makes the bytes more than this; what a file has beyond them are holes.
  static let byteCountMax = 4 << 20

  init(_ original: [UInt8], _ dice: Dice) {
    (bytes, self.original, self.dice) = (original, original, dice)
    rule = Mender.Rule(renumbers: dice.isOne(of: 2), mendsIndex: !dice.isOne(of: 4))
  }

  /// Tells another lie.
  mutating func lie() {
    switch dice.number(below: 16) {
    case 0...3: changeFields()
    case 4, 5: repeatStructure()
    case 6: renameSegment()
    case 7, 8: plantHeaders()
    case 9, 10: copySegment()
    default: appendRecords()
    }
    bytes = Mender.mend(bytes, of: original, rule)
  }

  /// The slots that the bytes reach into.
  var slotCount: UInt32 { UInt32((bytes.count + Limits.slotByteCount - 1) / Limits.slotByteCount) }

  var headers: [SegmentHeader] {
    FileLayout.identity(in: bytes).map { FileLayout.headers(in: bytes, of: $0) } ?? []
  }

  // MARK: Numbers

  /// Something else than a number of so many bytes.
  func lie(about number: UInt64, byteCount: Int = 8) -> UInt64 {
    switch dice.number(below: 8) {
    case 0, 1: number &+ UInt64(dice.number(below: 3) + 1)
    case 2: number &- UInt64(dice.number(below: 3) + 1)
    case 3: dice.element(of: Edit.edges)
    case 4: UInt64(dice.number(below: 64))
    case 5: dice.isOne(of: 2) ? number << 1 : number >> 1
    case 6: UInt64(slotCount) &+ UInt64(dice.number(below: 4))
    default: dice.word() >> UInt64(dice.number(below: 64))
    }
  }

  func number(_ field: Range<Int>) -> UInt64 {
    field.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
  }

  mutating func store(_ number: UInt64, _ field: Range<Int>) {
    Edit.store(number, at: field.lowerBound, byteCount: field.count).apply(to: &bytes)
  }

  // MARK: Lies

  /// Structures of one kind, so that rare kinds are lied about as often as others.
  private func structuresOfKind() -> [Structure] {
    let kinds = Dictionary(grouping: Structure.all(in: bytes).filter { !$0.fields.isEmpty }, by: \.kind)
      .values
      .sorted { $0[0].fields[0].lowerBound < $1[0].fields[0].lowerBound }
    return kinds.isEmpty ? [] : dice.element(of: kinds)
  }

  private mutating func changeFields() {
    let structures = structuresOfKind()
    guard !structures.isEmpty else { return }
    for _ in 0...dice.number(below: 3) {
      let field = dice.element(of: dice.element(of: structures).fields)
      store(lie(about: number(field), byteCount: field.count), field)
    }
  }

  /// Lets one structure say what another one says, all of it or one number.
  private mutating func repeatStructure() {
    let structures = structuresOfKind()
    guard !structures.isEmpty else { return }
    let (source, target) = (dice.element(of: structures), dice.element(of: structures))
    let pairs = Array(zip(source.fields, target.fields).filter { $0.0.count == $0.1.count })
    guard !pairs.isEmpty else { return }
    for pair in dice.isOne(of: 2) ? pairs : [dice.element(of: pairs)] { store(number(pair.0), pair.1) }
  }

  /// Gives a segment another identity wherever it is named.
  private mutating func renameSegment() {
    guard !headers.isEmpty else { return }
    let old = dice.element(of: headers).identity
    guard let new = lie(about: old) else { return }
    replace(Self.bytes(of: old), with: Self.bytes(of: new))
  }

  static func bytes(of segment: SegmentIdentity) -> [UInt8] {
    encoded(byteCount: SegmentIdentity.byteCount) { segment.encode(into: &$0, at: 0) }
  }

  private mutating func replace(_ old: [UInt8], with new: [UInt8]) {
    var offset = 0
    while offset <= bytes.count - old.count {
      if bytes[offset] == old[0], bytes[offset..<offset + old.count].elementsEqual(old) {
        bytes.replaceSubrange(offset..<offset + old.count, with: new)
        offset += old.count
      } else {
        offset += 1
      }
    }
  }

  /// Another identity of a segment that begins at the same slot; nil if the lie is none that a segment can have.
  func lie(about segment: SegmentIdentity) -> SegmentIdentity? {
    var (count, kind) = (segment.run.count, segment.kind)
    var (generation, salt) = (segment.generation, segment.salt)
    switch dice.number(below: 4) {
    case 0: count = UInt32(truncatingIfNeeded: lie(about: UInt64(count)))
    case 1: kind = dice.element(of: SegmentKind.allCases)
    case 2: generation = Generation(lie(about: generation.rawValue)) ?? generation
    default: salt = lie(about: salt)
    }
    return SlotRun(first: segment.run.first, count: count).map {
      SegmentIdentity(run: $0, kind: kind, generation: generation, salt: salt)
    }
  }

  /// Writes headers at the beginnings of slots behind the file's last one, or wherever there is none yet.
  private mutating func plantHeaders() {
    let first = dice.isOne(of: 3) ? Limits.headSlotCount : slotCount
    let end = min(
      first + 1 << UInt32(dice.number(below: 8)), UInt32(Self.byteCountMax / Limits.slotByteCount))
    let taken = Set(headers.map(\.identity.run.first))
    let kind: SegmentKind? = dice.isOne(of: 3) ? nil : dice.element(of: SegmentKind.allCases)
    // To the end, beyond it, or one slot each.
    let claim = dice.number(below: 3)
    let generation = lie(about: headers.map(\.identity.generation.rawValue).max() ?? 1)
    let falls = dice.isOne(of: 2)
    for slot in first..<max(first, end) where !taken.contains(slot) {
      let count = claim == 0 ? end - slot : claim == 1 ? 1 : Limits.segmentSlotCountMax
      let number = UInt64(falls ? end - slot : slot - first)
      guard let run = SlotRun(first: slot, count: count), let generation = Generation(generation &+ number)
      else {
        continue
      }
      plant(
        SegmentIdentity(
          run: run, kind: kind ?? dice.element(of: SegmentKind.allCases), generation: generation,
          salt: dice.word()))
    }
  }

  private mutating func plant(_ segment: SegmentIdentity) {
    guard let file = FileLayout.identity(in: bytes) else { return }
    let base = SequenceNumber(UInt64(dice.number(below: 100))) ?? .zero
    let before = dice.isOne(of: 2) ? nil : headers.last { $0.identity.generation < segment.generation }
    let header = SegmentHeader(
      identity: segment, base: base, floor: base,
      predecessor: segment.kind == .hot
        ? before.map { LogPosition($0.identity.generation, $0.identity.recordRange.upperBound) } : nil)
    write(header.encode(in: file), atSlot: segment.run.first)
  }

  private mutating func write(_ block: [UInt8], atSlot slot: UInt32) {
    let start = Int(slot) * Limits.slotByteCount
    let end = start + max(Limits.slotByteCount, block.count)
    guard end <= Self.byteCountMax else { return }
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(start..<start + block.count, with: block)
  }

  /// Copies a segment with all that it holds to slots behind the file's last one, as later or earlier uses.
  private mutating func copySegment() {
    guard let file = FileLayout.identity(in: bytes), !headers.isEmpty else { return }
    let header = dice.element(of: headers)
    let whole = Array(bytes[FileLayout.byteRange(of: header.identity, in: bytes)])
    for _ in 0...dice.number(below: 6) {
      let old = header.identity
      guard let run = SlotRun(first: slotCount, count: old.run.count),
        let generation = Generation(lie(about: old.generation.rawValue))
      else { continue }
      let copy = SegmentHeader(
        identity: SegmentIdentity(
          run: run, kind: old.kind, generation: generation,
          salt: dice.isOne(of: 2) ? old.salt : dice.word()), base: header.base, floor: header.floor)
      write(copy.encode(in: file) + whole.dropFirst(SegmentHeader.byteCount), atSlot: run.first)
    }
  }
}

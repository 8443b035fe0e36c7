internal import Sediment
internal import SedimentFormat

/// A store's file as `inspect` shows it.
struct FileDrawing {
  private let path: String
  private let head: Head
  private let owner: OwnerNote?
  private let byteCount: UInt64
  /// The segments in the order of the file.
  private let segments: [SedimentSegment]
  /// Why only headers are known, and not what lives; nil if all is.
  private let lack: String?

  init(_ path: String, _ glance: FileGlance, _ head: Head) throws {
    self.path = path
    self.head = head
    owner = glance.owner()
    byteCount = try glance.byteCount()
    do {
      segments = try OpenStore.with(path, .reading) { store in try store.survey().segments }
      lack = nil
    } catch let error as SedimentError {
      segments = try glance.segmentHeaders(of: head).map { SedimentSegment($0.identity) }
      lack = error.code == .locked ? "another process has the store open" : error.description
    }
  }

  // MARK: For people

  func text(isASCII: Bool) -> String {
    var text = "\(path): \(byteCount) bytes, \(SizeText.count(segments.count, "segment"))\n"
    for superblock in [head.leading, head.other] {
      guard let superblock else {
        text += "the other superblock is damaged\n"
        continue
      }
      text +=
        "superblock \(superblock.copy.rawValue): generation \(superblock.generation.rawValue), \(superblock.state), "
        + "checkpoint at byte \(superblock.checkpoint.byteOffset), on the medium up to byte "
        + "\(superblock.watermark.offset.byteOffset)\n"
    }
    text += "made \(TimeText.text(milliseconds: head.leading.createdAt))"
    if let owner {
      text +=
        "; process \(owner.processNumber) opened it last, \(TimeText.text(milliseconds: owner.openedAt))"
    }
    text += "\n"
    if let lack { text += "what lives in the segments cannot be told: \(lack)\n" }
    return text + "\n" + strip(isASCII: isASCII) + "\n" + table
  }

  private static let stripWidth = 64
  private static let stripLineCount = 4

  /// Three lines for each line of the strip: kinds, how full, how old.
  private func strip(isASCII: Bool) -> String {
    let slotByteCount = UInt64(Limits.slotByteCount)
    let slotCount = max(Int(clamping: (byteCount + slotByteCount - 1) / slotByteCount), 1)
    let cellCountMax = Self.stripWidth * Self.stripLineCount
    let slotsPerCell = (slotCount + cellCountMax - 1) / cellCountMax
    let cells = stride(from: 0, to: slotCount, by: slotsPerCell).map { slot in
      cell(UInt64(slot) * slotByteCount, isASCII: isASCII)
    }
    var text = "one letter: \(SizeText.bytes(UInt64(slotsPerCell) * slotByteCount))\n"
    for start in stride(from: 0, to: cells.count, by: Self.stripWidth) {
      let line = cells[start..<min(start + Self.stripWidth, cells.count)]
      text += "use   |\(String(line.map(\.use)))|\n"
      if lack == nil { text += "full  |\(String(line.map(\.fullness)))|\n" }
      text += "age   |\(String(line.map(\.age)))|\n"
    }
    return text
  }

  private struct Cell {
    var use: Character
    var fullness: Character = " "
    var age: Character = " "
  }

  private static let blocks = Array(" ▁▂▃▄▅▆▇█")

  /// What stands for the bytes from an offset on.
  private func cell(_ offset: UInt64, isASCII: Bool) -> Cell {
    if offset < UInt64(Limits.headSlotCount) * UInt64(Limits.slotByteCount) { return Cell(use: "=") }
    let place = segments.firstIndex { $0.byteOffset <= offset && offset < $0.byteOffset + $0.byteCount }
    guard let place else { return Cell(use: ".") }
    let segment = segments[place]
    let fullness = Double(segment.liveByteCount) / Double(max(segment.byteCount, 1))
    let steps = isASCII ? 9.0 : 8.0
    let step = min(Int((fullness * steps).rounded(.up)), Int(steps))
    return Cell(
      use: segment.kind.letter, fullness: isASCII ? Character("\(step)") : Self.blocks[step],
      age: Character("\(age(of: segment))"))
  }

  /// From 0, the newest, to 9: by how many of the segments are newer.
  private func age(of segment: SedimentSegment) -> Int {
    let newerCount = segments.count { $0.generation > segment.generation }
    return newerCount * 9 / max(segments.count - 1, 1)
  }

  private var table: String {
    var table = Table(rightAligned: [false, true, true, true, true, true, true])
    table.add(["KIND", "GENERATION", "AT BYTE", "BYTES", "USED", "LIVE", "RECORDS"])
    for segment in segments {
      let isKnown = lack == nil
      table.add([
        segment.kind.rawValue + (segment.isTail ? ", the end of the log" : ""), "\(segment.generation)",
        "\(segment.byteOffset)", "\(segment.byteCount)", isKnown ? "\(segment.usedByteCount)" : "?",
        isKnown ? "\(segment.liveByteCount)" : "?", isKnown ? "\(segment.recordCount)" : "?",
      ])
    }
    return table.text
  }

  // MARK: For programs

  var json: JSONValue {
    let superblocks = [head.leading, head.other].compactMap { $0 }.map { superblock in
      JSONValue.object([
        ("copy", .integer(UInt64(superblock.copy.rawValue))),
        ("generation", .integer(superblock.generation.rawValue)), ("state", .text("\(superblock.state)")),
        ("checkpoint", .integer(superblock.checkpoint.byteOffset)),
        ("durableUpTo", .integer(superblock.watermark.offset.byteOffset)),
      ])
    }
    let isKnown = lack == nil
    let segments = segments.map { segment in
      JSONValue.object([
        ("kind", .text(segment.kind.rawValue)), ("generation", .integer(segment.generation)),
        ("start", .integer(segment.byteOffset)), ("bytes", .integer(segment.byteCount)),
        ("usedBytes", isKnown ? .integer(segment.usedByteCount) : .null),
        ("liveBytes", isKnown ? .integer(segment.liveByteCount) : .null),
        ("records", isKnown ? .count(segment.recordCount) : .null), ("isTail", .boolean(segment.isTail)),
      ])
    }
    return .object([
      ("path", .text(path)), ("fileBytes", .integer(byteCount)),
      ("createdAt", .integer(head.leading.createdAt)),
      ("lastProcess", owner.map { .integer($0.processNumber) } ?? .null),
      ("superblocks", .array(superblocks)), ("segments", .array(segments)),
    ])
  }
}

extension SedimentSegment.Kind {
  fileprivate var letter: Character { rawValue.first?.uppercased().first ?? "?" }
}

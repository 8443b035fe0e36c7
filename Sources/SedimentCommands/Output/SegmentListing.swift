internal import Sediment
internal import SedimentFormat

/// The records of one segment as `inspect --segment` shows them: without keys and values.
struct SegmentListing {
  private let segment: FileGlance.Segment

  init(_ segment: FileGlance.Segment) { self.segment = segment }

  func show(isJSON: Bool, _ console: Console) throws {
    isJSON ? try showJSON(console) : try showText(console)
  }

  private func showText(_ console: Console) throws {
    let identity = segment.header.identity
    let range = identity.run.byteRange
    try console.write(
      "\(identity.kind) segment of generation \(identity.generation.rawValue), bytes \(range.lowerBound)"
        + "..<\(range.upperBound), changes after \(segment.header.base.rawValue)\n")
    guard identity.kind.holdsRecords else {
      return try console.write("it holds no records\n")
    }
    var table = Table(rightAligned: [true, true, true, true, true, false])
    table.add(["AT BYTE", "CHANGE", "BYTES", "KEY", "VALUE", "WHAT"])
    for record in segment.records {
      try Signals.check()
      let header = record.header
      table.add([
        "\(record.offset.byteOffset)", "\(header.sequence.rawValue)", "\(header.byteCount)",
        "\(header.keyByteCount)", "\(header.valueByteCount)", Self.text(of: record),
      ])
    }
    try console.write(table.text)
    if let ending = segment.ending { try console.write("then: \(ending.description)\n") }
  }

  private static func text(of record: FileGlance.Record) -> String {
    if let control = record.control { return name(of: control) }
    let header = record.header
    var parts = ["\(header.kind)"]
    if header.collection != 0 { parts.append("collection \(header.collection)") }
    if header.expiry != 0 { parts.append("expires \(TimeText.text(milliseconds: header.expiry))") }
    if let transform = header.transform { parts.append("compressed from \(transform.originalByteCount)") }
    if header.isBatched { parts.append("of a batch") }
    return parts.joined(separator: ", ")
  }

  private static func name(of control: ControlRecord) -> String {
    switch control {
    case .mark(let mark): "mark: on the medium up to byte \(mark.watermark.offset.byteOffset)"
    case .seal(let seal): "seal: the log goes on at byte \(seal.next.run.byteRange.lowerBound)"
    case .commit(let commit): "commit of \(commit.memberCount)"
    case .catalogueChange(let change): "catalogue change of \(change.entries.count)"
    case .checkpointPart(let part): "checkpoint, part \(part.number + 1) of \(part.partCount)"
    case .ignorable(let type): "control record of type \(type)"
    }
  }

  private func showJSON(_ console: Console) throws {
    for record in segment.records {
      try Signals.check()
      let header = record.header
      try console.write(
        .object([
          ("offset", .integer(record.offset.byteOffset)), ("sequence", .integer(header.sequence.rawValue)),
          ("bytes", .count(header.byteCount)), ("kind", .text("\(header.kind)")),
          ("keyBytes", .count(header.keyByteCount)), ("valueBytes", .count(header.valueByteCount)),
          ("collection", .integer(UInt64(header.collection))),
          ("expires", header.expiry == 0 ? .null : .integer(header.expiry)),
          ("isBatched", .boolean(header.isBatched)),
        ]))
    }
  }
}

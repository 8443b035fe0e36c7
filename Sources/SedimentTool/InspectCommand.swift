internal import Sediment
internal import SedimentDisk
internal import SedimentFormat

/// `sediment inspect FILE`: what the file holds, structure by structure, without keys, values or its identity.
struct InspectCommand {
  let path: String

  func run() -> ExitCode {
    do throws(SedimentError) {
      let inspection = try FileInspection.inspect(path: path, on: SystemDisk())
      show(inspection)
      return .fine
    } catch {
      Output.complain(error.description)
      return ExitCode(error)
    }
  }

  private func show(_ inspection: FileInspection) {
    Output.write("\(path): \(inspection.byteCount) bytes\n")
    show(inspection.head.leading, role: "leads")
    if let other = inspection.head.other {
      show(other, role: "follows")
    } else {
      Output.write("the other superblock is damaged\n")
    }
    for segment in inspection.segments { show(segment) }
  }

  private func show(_ superblock: Superblock, role: String) {
    let end = superblock.watermark
    Output.write(
      """
      superblock \(superblock.copy.rawValue) \(role): generation \(superblock.generation.rawValue), \
      \(superblock.state), checkpoint at \(superblock.checkpoint.byteOffset), on the medium up to \
      \(end.offset.byteOffset) of segment generation \(end.generation.rawValue)

      """)
  }

  private func show(_ segment: FileInspection.Segment) {
    let identity = segment.header.identity
    Output.write(
      """
      \(identity.kind) segment in slots \(identity.run.first)..<\(identity.run.end): generation \
      \(identity.generation.rawValue), base \(segment.header.base.rawValue)

      """)
    for record in segment.records { show(record) }
    if let ending = segment.ending { Output.write("  then \(ending.description)\n") }
  }

  private func show(_ record: FileInspection.Record) {
    let header = record.header
    let what =
      record.control.map(name) ?? "\(header.kind), key \(header.keyByteCount), value \(header.valueByteCount)"
    Output.write(
      "  \(record.offset.byteOffset): \(header.sequence.rawValue) \(what), \(header.byteCount) bytes in all\n"
    )
  }

  private func name(_ control: ControlRecord) -> String {
    switch control {
    case .mark(let mark): "mark, on the medium up to \(mark.watermark.offset.byteOffset)"
    case .seal(let seal): "seal, next in slot \(seal.next.run.first)"
    case .commit(let commit): "commit of \(commit.memberCount)"
    case .catalogueChange(let change): "catalogue change of \(change.entries.count)"
    case .checkpointPart(let part): "checkpoint part \(part.number + 1) of \(part.partCount)"
    case .ignorable(let type): "control record of type \(type)"
    }
  }
}

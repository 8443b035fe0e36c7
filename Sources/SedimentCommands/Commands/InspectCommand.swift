internal import Sediment
internal import SedimentDisk
internal import SedimentFormat

/// The command `sediment inspect FILE`.
enum InspectCommand: Command {
  private static let segment = OptionDeclaration(
    name: "segment", letter: "s", value: "GENERATION",
    help: "the records of the segment of that generation, each with its place in the file")
  private static let ascii = OptionDeclaration(name: "ascii", help: "draw with digits only")

  static let declaration = CommandDeclaration(
    "inspect", "draws a file: its segments, how full and how old they are, and their records",
    discussion: """
      The strip has a letter for each run of slots: H records in the order in which they were set, S records that compaction \
      moved, E a large value, I stored index, W the window, = the head, . free. Below it stand how full each is of present \
      values, from nothing to a full block (with --ascii from 0 to 9), and how old, from 0, the newest, to 9. Nothing is written, and no keys or \
      values are shown. A file that another process has open, or that is damaged, is shown as far as its headers tell.
      """,
    operands: [.store], options: [segment, ascii, .json],
    examples: [
      ("sediment inspect cities.sediment", "the head, the strip and a table of segments"),
      ("sediment inspect cities.sediment --segment 7", "the records of one segment with their offsets"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let glance = try FileGlance(path: path, on: SystemDisk())
    let head = try glance.head()
    if let generation = try arguments.number(of: segment, in: 1...Int.max) {
      let headers = try glance.segmentHeaders(of: head)
      guard let header = headers.first(where: { $0.identity.generation.rawValue == UInt64(generation) })
      else {
        throw ToolFailure.notFound("\(path): there is no segment of generation \(generation)")
      }
      let records = SegmentListing(try glance.segment(header, of: head))
      try records.show(isJSON: arguments.has(.json), console)
      return .fine
    }
    let drawing = try FileDrawing(path, glance, head)
    try console.write(
      arguments, json: drawing.json,
      text: drawing.text(isASCII: arguments.has(ascii) || !TerminalLocale.isUTF8))
    return .fine
  }
}

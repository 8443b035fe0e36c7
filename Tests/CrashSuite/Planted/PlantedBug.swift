import Foundation

/// A mistake that the suite must find, as edits of the sources that a switch of the environment turns on.
///
/// Its file, named for it, says what is wrong, which layers are to find it, perhaps a case that found it once, and for
/// each edit a file, the lines that are there and the lines that take their place; these ask `isPlanted`. The sources
/// themselves know nothing of it.
struct PlantedBug {
  let name: String
  let what: String
  /// The layers that are asked, in this order, until one has found it.
  let layers: [String]
  /// Layers that must each find it besides, where they can be tried.
  let everyLayer: [String]
  /// A case that found it once, such as "schedules:7", which is asked before the layers; nil if there is none.
  let knownCase: String?
  /// Whether finding it takes a minute or more, so that only long runs look for it.
  let isSlow: Bool
  let edits: [Edit]

  struct Edit {
    var file: String
    var before: String
    var after: String
  }

  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  /// All bugs of a folder, by name.
  static func all(in folder: URL) throws -> [PlantedBug] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "bug" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map(PlantedBug.init)
  }

  init(_ file: URL) throws {
    name = file.deletingPathExtension().lastPathComponent
    var what = ""
    var layers: [String] = []
    var everyLayer: [String] = []
    var knownCase: String?
    var isSlow = false
    var edits: [Edit] = []
    var part = ""
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      if let value = Self.value(of: "what", line), part.isEmpty {
        what = value
      } else if let value = Self.value(of: "layers", line), part.isEmpty {
        layers = value.components(separatedBy: " ")
      } else if let value = Self.value(of: "each of", line), part.isEmpty {
        everyLayer = value.components(separatedBy: " ")
      } else if let value = Self.value(of: "case", line), part.isEmpty {
        knownCase = value
      } else if line == "slow: yes", part.isEmpty {
        isSlow = true
      } else if let value = Self.value(of: "file", line) {
        edits.append(Edit(file: value, before: "", after: ""))
        part = "file"
      } else if ["before:", "after:"].contains(line), !edits.isEmpty {
        part = line
      } else if part == "before:" {
        edits[edits.count - 1].before += line + "\n"
      } else if part == "after:" {
        edits[edits.count - 1].after += line + "\n"
      }
    }
    let call = "\"\(name)\""
    guard !what.isEmpty, !layers.isEmpty, !edits.isEmpty,
      edits.allSatisfy({ $0.after.contains(call) })
    else { throw Refusal(description: "\(file.path) is no planted bug") }
    self.what = what
    self.layers = layers
    self.everyLayer = everyLayer
    self.knownCase = knownCase
    self.isSlow = isSlow
    self.edits = edits.map {
      Edit(file: $0.file, before: $0.before.trimmingEnd, after: $0.after.trimmingEnd)
    }
  }

  private static func value(of field: String, _ line: String) -> String? {
    line.hasPrefix("\(field): ") ? String(line.dropFirst(field.count + 2)) : nil
  }
}

extension String {
  /// Without the empty lines at its end.
  fileprivate var trimmingEnd: String {
    var text = self
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}

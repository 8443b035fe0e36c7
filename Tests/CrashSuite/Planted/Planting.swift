import Foundation

/// Makes a copy of the package whose sources have all planted bugs in them, each behind a switch.
struct Planting {
  let source: URL
  let target: URL

  private static let parts = ["Package.swift", "Sources", "Tests", "Fuzz"]

  /// Files that are as they should be already stay untouched, so that only what has changed is built; those that are no
  /// more in the package go.
  func run() throws {
    var edits: [String: [PlantedBug.Edit]] = [:]
    for bug in try PlantedBug.all(in: source.appendingPathComponent("Tests/Planted")) {
      for edit in bug.edits { edits[edit.file, default: []].append(edit) }
    }
    let switchPath = "Sources/SedimentFormat/PlantedBugs.swift"
    let paths = try Self.parts.flatMap { try Self.files($0, in: source) }
    for path in Set(try Self.parts.flatMap { try Self.files($0, in: target) }).subtracting(paths)
    where path != switchPath {
      try FileManager.default.removeItem(at: target.appendingPathComponent(path))
    }
    for path in paths {
      var text = try Data(contentsOf: source.appendingPathComponent(path))
      for edit in edits.removeValue(forKey: path) ?? [] { text = try apply(edit, to: text) }
      try put(text, at: path)
    }
    if let path = edits.keys.first { throw PlantedBug.Refusal(description: "there is no \(path)") }
    try put(Data(Self.switchSource.utf8), at: switchPath)
  }

  private func apply(_ edit: PlantedBug.Edit, to data: Data) throws -> Data {
    let parts = String(decoding: data, as: UTF8.self).components(separatedBy: edit.before)
    guard parts.count == 2 else {
      throw PlantedBug.Refusal(
        description: "\(edit.file) has \(parts.count - 1) times, and not once:\n\(edit.before)")
    }
    return Data(parts.joined(separator: edit.after).utf8)
  }

  /// The files of a part that are text of a package, by their paths in it.
  private static func files(_ part: String, in package: URL) throws -> [String] {
    let root = package.appendingPathComponent(part)
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder) else { return [] }
    guard isFolder.boolValue else { return [part] }
    let folder = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    var files: [String] = []
    while let file = folder?.nextObject() as? URL {
      guard ["swift", "c", "h", "modulemap", "pc", "txt"].contains(file.pathExtension) else { continue }
      files.append(part + file.path.dropFirst(root.path.count))
    }
    return files
  }

  private func put(_ text: Data, at path: String) throws {
    let file = target.appendingPathComponent(path)
    if let present = try? Data(contentsOf: file), present == text { return }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file)
  }

  private static let switchSource = """
    #if canImport(Darwin)
      internal import Darwin
    #elseif canImport(Musl)
      internal import Musl
    #else
      internal import Glibc
    #endif

    private let plantedBug = unsafe getenv("SEDIMENT_PLANTED").map { unsafe String(cString: $0) }

    /// Whether the bug of that name is switched on.
    @inline(never) @usableFromInline package func isPlanted(_ name: String) -> Bool { plantedBug == name }

    """
}

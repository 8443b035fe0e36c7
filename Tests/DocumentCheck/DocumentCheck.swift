import Foundation

/// Says which public symbols of a module have no documentation comment, and which stand on no page of its catalogue.
///
/// It is given the folder of the module's symbol graphs and that of its catalogue, and ends with 1 if it found
/// something.
@main
struct DocumentCheck {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let graphs = arguments.first, let catalogue = arguments.last else {
      print("error: usage: DocumentCheck GRAPHS CATALOGUE")
      exit(2)
    }
    do {
      let symbols = try symbols(in: graphs)
      // A module without symbols was not looked at, which proves nothing.
      guard !symbols.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
      let findings = try undocumented(symbols) + unlisted(symbols, in: catalogue)
      for finding in findings.sorted() { print(finding) }
      print("\(symbols.count) public symbols, \(findings.count) findings")
      exit(findings.isEmpty ? 0 : 1)
    } catch {
      print("error: \(graphs) or \(catalogue) cannot be read: \(error)")
      exit(1)
    }
  }

  static func symbols(in folder: String) throws -> [Symbol] {
    try files(in: folder, ending: ".symbols.json").flatMap { try SymbolGraph(contentsOf: $0).symbols }
  }

  static func undocumented(_ symbols: [Symbol]) -> [String] {
    symbols.compactMap { symbol in
      guard symbol.needsComment, !symbol.hasComment else { return nil }
      return
        "\(symbol.place): error: \(symbol.name) is public and has no documentation comment; say what callers may rely on"
    }
  }

  static func unlisted(_ symbols: [Symbol], in catalogue: String) throws -> [String] {
    let pages = try files(in: catalogue, ending: ".md").map { try String(contentsOf: $0, encoding: .utf8) }
    return symbols.compactMap { symbol in
      guard symbol.isOutermostType, !pages.contains(where: { $0.contains("``\(symbol.name)``") }) else {
        return nil
      }
      return
        "\(symbol.place): error: \(symbol.name) stands on no page of \(catalogue); add it to the topics of one"
    }
  }

  /// The files of a folder and of those in it, at any depth.
  static func files(in folder: String, ending: String) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(ending) }
      .map { URL(fileURLWithPath: folder).appendingPathComponent($0) }
  }
}

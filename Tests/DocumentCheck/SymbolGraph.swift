import Foundation

/// What of a compiler's symbol graph the check looks at.
struct SymbolGraph: Decodable {
  let symbols: [Symbol]

  init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
  }
}

/// A public symbol of a module.
struct Symbol: Decodable {
  struct Identifier: Decodable { let precise: String }
  struct Kind: Decodable { let identifier: String }
  struct Comment: Decodable { let lines: [Line] }
  struct Line: Decodable { let text: String }
  struct Location: Decodable {
    let uri: String
    let position: Position
  }
  struct Position: Decodable { let line: Int }

  let identifier: Identifier
  let kind: Kind
  let pathComponents: [String]
  let docComment: Comment?
  let location: Location?

  var name: String { pathComponents.joined(separator: ".") }

  /// Whether somebody has to document it.
  ///
  /// Nobody has to with the blocks of an extension, and with members that the compiler repeats in each conforming
  /// type. A witness has the comment of its requirement in the graph.
  var needsComment: Bool {
    kind.identifier != "swift.extension" && !identifier.precise.contains("::SYNTHESIZED::")
  }

  var hasComment: Bool {
    docComment?.lines.contains { !$0.text.allSatisfy(\.isWhitespace) } ?? false
  }

  /// Whether it is a type that stands in no other, so that only a page of the catalogue leads to it.
  var isOutermostType: Bool {
    pathComponents.count == 1
      && ["swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.typealias"].contains(
        kind.identifier)
  }

  /// Where it is declared, as compilers write it.
  var place: String {
    guard let location else { return "in no file" }
    return "\(URL(string: location.uri)?.path ?? location.uri):\(location.position.line + 1)"
  }
}

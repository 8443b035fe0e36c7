internal import Foundation

/// A document whose figures come from kept results.
///
/// A single figure stands between `<!-- figure: REQUEST -->` and `<!-- end -->`, a text with figures between
/// `<!-- figures: NAME -->` and `<!-- end -->`, on lines of its own; neither mark is seen by a reader.
public struct FigureDocument {
  private static let end = "<!-- end -->"

  private let text: String

  /// A document as it is now.
  public init(_ text: String) {
    self.text = text
  }

  /// The document as it should be.
  public func written(_ figures: KeptFigures, _ templates: FigureTemplates) throws -> String {
    var result = ""
    try forEachPart { part in
      switch part {
      case .plain(let text): result += text
      case .figure(let request, _):
        result += "<!-- figure: \(request) -->\(try figures.text(request))\(FigureDocument.end)"
      case .figures(let name, _):
        let text = try templates.text(name, figures)
        result += "<!-- figures: \(name) -->\n\n\(text)\n\n\(FigureDocument.end)"
      }
    }
    return result
  }

  /// What is wrong with it, a line each: figures that differ from the kept results, and, with `isStrict`, times that
  /// stand outside of all marks, so that somebody has typed them.
  public func findings(
    _ figures: KeptFigures, _ templates: FigureTemplates, named name: String, isStrict: Bool = true
  ) throws -> [String] {
    var findings: [String] = []
    var line = 1
    try forEachPart { part in
      switch part {
      case .plain(let text):
        if isStrict {
          for (number, content) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
          {
            for typed in FigureDocument.typedFigures(content) {
              findings.append(
                "\(name):\(line + number): '\(typed)' is typed by hand; take it from the kept results")
            }
          }
        }
        line += text.count { $0 == "\n" }
      case .figure(let request, let found):
        let wanted = try figures.text(request)
        if found != wanted {
          findings.append("\(name):\(line): '\(request)' is \(wanted) in the kept results, not \(found)")
        }
      case .figures(let block, let found):
        let wanted = "\n\n\(try templates.text(block, figures))\n\n"
        let pairs = zip(lines(of: found), lines(of: wanted)).enumerated().first { $1.0 != $1.1 }
        if found != wanted {
          findings.append(
            "\(name):\(line + (pairs?.offset ?? 0)): the figures of '\(block)' differ from the kept results")
        }
        line += found.count { $0 == "\n" }
      }
    }
    return findings
  }

  private func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private enum Part {
    case plain(String)
    case figure(request: String, found: String)
    case figures(name: String, found: String)
  }

  private func forEachPart(_ body: (Part) throws -> Void) throws {
    var rest = text[...]
    while let mark = rest.firstMatch(of: /<!-- figure(?<many>s)?: (?<what>[^>]*?) -->/) {
      try body(.plain(String(rest[..<mark.range.lowerBound])))
      rest = rest[mark.range.upperBound...]
      guard let end = rest.range(of: FigureDocument.end) else {
        throw NoFigure("end of what begins with \(mark.output.what)")
      }
      let (what, found) = (String(mark.output.what), String(rest[..<end.lowerBound]))
      try body(
        mark.output.many == nil ? .figure(request: what, found: found) : .figures(name: what, found: found))
      rest = rest[end.upperBound...]
    }
    try body(.plain(String(rest)))
  }

  /// Times and rates that somebody measured: a number and its unit.
  private static func typedFigures(_ text: Substring) -> [String] {
    text.matches(of: /\b[0-9][0-9.,]* (?:ns|us|ms|GB\/s)\b/).map { String($0.output) }
  }
}

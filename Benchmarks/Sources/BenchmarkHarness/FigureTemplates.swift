internal import Foundation

/// Texts with requests for figures in braces, each under a heading: `## NAME`.
///
/// A text for results that were made by older rules stands under `## NAME (REPORT of rules NUMBER)`.
public struct FigureTemplates {
  private let texts: [String: String]

  /// Reads the texts; what stands above the first heading is for people.
  public init(_ document: String) {
    var texts: [String: String] = [:]
    for part in "\n\(document)".components(separatedBy: "\n## ").dropFirst() {
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      texts[String(lines[0])] = lines.count > 1 ? lines[1].trimmingCharacters(in: .newlines) : ""
    }
    self.texts = texts
  }

  /// A text with its figures; throws ``NoFigure`` if there is no such text, or no such figure.
  public func text(_ name: String, _ figures: KeptFigures) throws -> String {
    let older = texts.first { heading, _ in
      guard let match = heading.wholeMatch(of: /(.*) \((.*) of rules ([0-9]+)\)/), match.1 == name else {
        return false
      }
      return figures.version(of: String(match.2)) == Int(match.3)
    }
    guard let text = older?.value ?? texts[name] else { throw NoFigure("text named \(name)") }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      result += rest[..<start]
      result += try figures.text(String(rest[rest.index(after: start)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}

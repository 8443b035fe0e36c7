internal import Foundation

/// What a kept chart says at its end of the data that it was drawn from, so that a chart of other data is found.
public enum ChartStamp {
  private static let mark = "<!-- drawn from data "

  /// A drawing with the stamp of its data; one that it had is replaced.
  public static func stamped(_ svg: String, data: String) -> String {
    let drawing = svg.range(of: mark).map { String(svg[..<$0.lowerBound]) } ?? svg
    return "\(drawing)\(mark)\(hash(data)) -->\n"
  }

  /// Whether a drawing was made from these data.
  public static func isDrawn(_ svg: String, from data: String) -> Bool {
    svg.hasSuffix("\(mark)\(hash(data)) -->\n")
  }

  /// FNV-1a of 64 bits: the same in each process.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

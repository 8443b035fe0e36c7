internal import Foundation

/// Where the key of a line is.
public enum LineKeys {
  /// In the member `id` of an object of JSON.
  public static func jsonIdentifier(_ line: [UInt8]) throws -> String {
    struct Identified: Decodable { var id: String }
    return try JSONDecoder().decode(Identified.self, from: Data(line)).id
  }

  /// Before the first comma, as in a CSV whose first column has no quotes.
  public static func firstColumn(_ line: [UInt8]) throws -> String {
    guard let text = String(validating: line.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self), !text.isEmpty
    else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return text
  }
}

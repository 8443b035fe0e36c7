public import Foundation

/// Where lines come from: something that can be read from any place on, so that an import can go on where it stopped.
public protocol ImportSource {
  /// At most so many bytes from an offset on; none at the end.
  func bytes(from offset: UInt64, max count: Int) throws -> [UInt8]
}

/// A file as a source.
public struct FileSource: ImportSource {
  private let handle: FileHandle

  /// Opens the file at a URL.
  public init(_ file: URL) throws {
    handle = try FileHandle(forReadingFrom: file)
  }

  /// See `ImportSource`.
  public func bytes(from offset: UInt64, max count: Int) throws -> [UInt8] {
    try handle.seek(toOffset: offset)
    return Array(try handle.read(upToCount: count) ?? Data())
  }
}

import SedimentDisk
import SedimentTesting

extension DiskFile {
  func write(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
    try unsafe write(bytes.span.bytes, at: offset)
  }

  func read(_ range: Range<UInt64>) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: range.count)
    var span = bytes.mutableSpan
    var buffer = unsafe span.mutableBytes
    let count = try read(into: &buffer, at: range.lowerBound)
    return [UInt8](bytes.prefix(count))
  }
}

extension FileMapping {
  func store(_ bytes: [UInt8], at offset: UInt64) {
    unsafe store(bytes.span.bytes, at: offset)
  }

  func load(_ range: Range<Int>) -> [UInt8] {
    unsafe [UInt8](UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }
}

extension SimulatedDisk {
  /// A file whose bytes are all durable, opened for writing.
  func installed(_ path: String, _ bytes: [UInt8]) throws(DiskError) -> any DiskFile {
    install(bytes, at: path)
    return try open(path, .readWrite)
  }

  /// A mapping of the first bytes of a file, all of it writable.
  static func writable(_ file: any DiskFile, _ byteCount: UInt64) throws(DiskError) -> FileMapping {
    let mapping = try file.reserveMapping(byteCount: byteCount)
    try mapping.expose(0..<byteCount, writable: true)
    return mapping
  }
}

extension CrashState {
  /// What the disk may hold after the crash, over all choices.
  func images(_ options: CrashPlanOptions = .sectors) -> Set<[String: [UInt8]]> {
    Set(plans(options).map { afterPowerLoss($0).contentsByPath })
  }

  /// What one file may hold after the crash.
  func images(of path: String, _ options: CrashPlanOptions = .sectors) -> Set<[UInt8]> {
    Set(images(options).compactMap { $0[path] })
  }
}

extension CrashPlanOptions {
  /// Sectors are written as a whole or not at all.
  static let sectors = CrashPlanOptions(tearsSectors: false)
}

func filled(_ value: UInt8, _ count: Int) -> [UInt8] {
  [UInt8](repeating: value, count: count)
}

/// The code with which a call failed, or nil if it did not.
func failure(_ body: () throws(DiskError) -> Void) -> SystemErrorCode? {
  do throws(DiskError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}

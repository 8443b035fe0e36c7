import Sediment

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a process and a file take of the system.
package enum Measures {
  /// The descriptors that this process has open.
  package static var descriptorCount: Int {
    (0..<4096 as Range<Int32>).count { descriptor in fcntl(descriptor, F_GETFD) != -1 }
  }

  /// The descriptors that this process has of a file.
  package static func descriptorCount(of path: String) -> Int {
    var file = stat()
    guard unsafe stat(path, &file) == 0 else { return 0 }
    return (0..<4096 as Range<Int32>).count { descriptor in
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return false }
      return status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }
  }

  /// The threads of this process; nil where the system does not tell.
  package static var threadCount: Int? {
    let lines = text(of: "/proc/self/status").split(separator: "\n")
    return lines.first { $0.hasPrefix("Threads:") }.flatMap { Int($0.dropFirst(8).filter(\.isNumber)) }
  }

  /// The memory that this process has in fact; nil where the system does not tell.
  package static var residentByteCount: Int? {
    let words = text(of: "/proc/self/statm").split(separator: " ")
    return words.count > 1 ? Int(words[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
  }

  /// The bytes that were allocated and not freed; nil where the library does not tell.
  package static var heapByteCount: Int? {
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "malloc_info") else { return nil }
    // The library's function of this name has this type.
    typealias Describe = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    let describe = unsafe unsafeBitCast(symbol, to: Describe.self)
    var start: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let stream = unsafe open_memstream(&start, &count) else { return nil }
    _ = unsafe describe(0, stream)
    _ = unsafe fclose(stream)
    guard let text = unsafe start else { return nil }
    defer { unsafe free(text) }
    // The sums over all arenas come last.
    let lines = unsafe String(cString: text).split(separator: "\n")
    func size(_ kind: String) -> Int {
      let line = lines.last { $0.contains(kind) } ?? ""
      let digits = line.components("size=\"").last?.prefix { $0.isNumber } ?? ""
      return Int(digits) ?? 0
    }
    return size("system type=\"current\"") + size("total type=\"mmap\"")
      - size("total type=\"fast\"") - size("total type=\"rest\"")
  }

  /// The bytes of the blocks that a file has on its disk.
  package static func allocatedByteCount(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Int(status.st_blocks) * 512
  }

  private static func text(of path: String) -> String {
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { _ = unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

extension Substring {
  /// What lies before, between and behind the occurrences of a text.
  fileprivate func components(_ separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}

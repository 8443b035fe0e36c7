/// Writes to a descriptor, much at a time.
final class OutputWriter {
  let descriptor: Descriptor
  private var buffer: [UInt8] = []
  /// What was written so far, and what waits to be.
  private(set) var byteCount: UInt64

  private static let bufferByteCount = 64 << 10

  /// The descriptor writes behind so many bytes that are there.
  init(_ descriptor: Descriptor, at byteCount: UInt64 = 0) {
    self.descriptor = descriptor
    self.byteCount = byteCount
  }

  func write(_ text: String) throws(ToolFailure) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(ToolFailure) {
    byteCount += UInt64(bytes.count)
    if buffer.count + bytes.count <= Self.bufferByteCount {
      buffer += bytes
      return
    }
    try flush()
    if bytes.count < Self.bufferByteCount { buffer += bytes } else { try descriptor.write(bytes) }
  }

  func flush() throws(ToolFailure) {
    if buffer.isEmpty { return }
    // What could not be written is not tried again: it would fail again at the end, and be said twice.
    defer { buffer.removeAll(keepingCapacity: true) }
    try descriptor.write(buffer)
  }
}

internal import SedimentFormat

/// Bytes that come from a descriptor, read as they are needed, or that are there already.
final class ByteSource {
  let descriptor: Descriptor
  private var buffer: [UInt8] = []
  private var place = 0
  private var end = 0
  /// How many bytes there were before those in the buffer.
  private var start: UInt64 = 0
  /// The checksum of the bytes up to `checkedPlace` of the buffer.
  private var checked = Checksum.empty
  private var checkedPlace = 0
  /// Whether nothing is to be read any more.
  private var isAtEnd = false

  private static let bufferByteCount = 64 << 10

  init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  init(_ bytes: [UInt8]) {
    descriptor = .input
    buffer = bytes
    end = bytes.count
    isAtEnd = true
  }

  /// How many bytes were taken so far.
  var position: UInt64 { start + UInt64(place) }

  /// What messages call it.
  var name: String { descriptor.name }

  /// Whether bytes were read that nobody has taken.
  var hasBuffered: Bool { place < end }

  /// The next byte, which stays; nil at the end.
  func peek() throws(ToolFailure) -> UInt8? {
    if place == end, try !fill() { return nil }
    return buffer[place]
  }

  /// Takes the next byte; nil at the end.
  func next() throws(ToolFailure) -> UInt8? {
    guard let byte = try peek() else { return nil }
    place += 1
    return byte
  }

  /// Takes what is there of a line, up to and with its line feed; nil at the end.
  ///
  /// Throws if a line is longer than `limit`.
  func line(limit: Int) throws(ToolFailure) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if place == end, try !fill() { return line.isEmpty ? nil : line }
      let rest = buffer[place..<end]
      let taken = rest.firstIndex(of: 10).map { rest[...$0] } ?? rest
      guard line.count + taken.count <= limit else {
        throw .usage("\(name): a line is longer than \(SizeText.bytes(UInt64(limit)))")
      }
      line += taken
      place = taken.endIndex
      if line.last == 10 { return line }
    }
  }

  /// Takes everything up to the end; throws if that is more than `limit`.
  func all(limit: Int) throws(ToolFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while try peek() != nil {
      guard bytes.count + end - place <= limit else {
        throw .usage("\(name) has more than the \(SizeText.bytes(UInt64(limit))) that a value may have")
      }
      bytes += buffer[place..<end]
      place = end
    }
    return bytes
  }

  /// The checksum of all bytes that were taken so far.
  var checksum: UInt32 {
    check()
    return checked.rawValue
  }

  private func check() {
    checked = checked.continued(with: unsafe buffer.span.bytes.extracting(checkedPlace..<place))
    checkedPlace = place
  }

  /// Takes bytes without looking at them up to a position; false if the end comes before.
  func skip(to position: UInt64) throws(ToolFailure) -> Bool {
    while self.position < position {
      if place == end, try !fill() { return false }
      place += Int(min(UInt64(end - place), position - self.position))
    }
    return self.position == position
  }

  private func fill() throws(ToolFailure) -> Bool {
    if isAtEnd { return false }
    check()
    checkedPlace = 0
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferByteCount) }
    start = position
    place = 0
    end = 0
    end = try descriptor.read(into: &buffer)
    return end > 0
  }
}

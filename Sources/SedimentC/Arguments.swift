internal import CSedimentInterface
internal import Sediment

/// Where bytes are that there are none of.
private let noBytes: StaticString = ""

/// Bytes of the caller's, valid during the call.
@safe
struct Bytes: SedimentBytes {
  let start: UnsafeRawPointer
  let count: Int

  /// The longest keys and values that there can be; what is said to be longer is not looked at.
  static let keySizeMax: UInt = 65_535
  static let valueSizeMax: UInt = 1 << 30

  /// Bytes whose size is at most `sizeMax`; nil if they are not, or if there are none at a null pointer.
  @inline(__always)
  init?(_ start: UnsafeRawPointer?, _ size: Int, sizeMax: UInt) {
    guard UInt(bitPattern: size) <= sizeMax else { return nil }
    if let start = unsafe start {
      unsafe self.start = unsafe start
    } else {
      guard size == 0 else { return nil }
      // Some address, at which nobody looks.
      unsafe self.start = UnsafeRawPointer(noBytes.utf8Start)
    }
    count = size
  }

  /// A key.
  @inline(__always)
  init?(key start: UnsafeRawPointer?, _ size: Int) {
    unsafe self.init(start, size, sizeMax: Self.keySizeMax)
  }

  /// A value.
  @inline(__always)
  init?(value start: UnsafeRawPointer?, _ size: Int) {
    unsafe self.init(start, size, sizeMax: Self.valueSizeMax)
  }

  /// The same as Swift's own kind.
  var buffer: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The caller's bytes stay during the call.
    try body(unsafe RawSpan(_unsafeStart: start, byteCount: count))
  }
}

/// Why bytes are not possible that `Bytes` refused, by the name of their argument.
@inline(never)
func impossible(_ name: String, _ start: UnsafeRawPointer?, _ size: Int, sizeMax: UInt) -> Refusal {
  if UInt(bitPattern: size) > sizeMax {
    return Refusal(
      status: SEDIMENT_TOO_LARGE,
      message: "\(name) has \(UInt(bitPattern: size)) bytes, and \(sizeMax) is the limit. Split it.")
  }
  return .misuse("\(name) is null, and its size is \(size). Pass a pointer to the bytes.")
}

@inline(never)
func impossibleKey(_ start: UnsafeRawPointer?, _ size: Int, _ function: StaticString = #function)
  -> sediment_status
{
  unsafe failed(impossible("key", start, size, sizeMax: Bytes.keySizeMax), function)
}

@inline(never)
func impossibleValue(_ start: UnsafeRawPointer?, _ size: Int, _ function: StaticString = #function)
  -> sediment_status
{
  unsafe failed(impossible("value", start, size, sizeMax: Bytes.valueSizeMax), function)
}

/// An argument that must not be null.
@inline(__always)
func required<Argument>(_ argument: Argument?, _ name: StaticString) throws(Refusal) -> Argument {
  guard let argument else { throw .misuse("\(name) is null. Pass one.") }
  return argument
}

/// Refuses a structure whose size is not the one that the library knows.
func checkSize<Structure>(_: Structure.Type, _ size: Int, _ name: StaticString) throws(Refusal) {
  guard size == MemoryLayout<Structure>.size else {
    throw .misuse(
      "\(name) says that it has \(UInt(bitPattern: size)) bytes, and it has \(MemoryLayout<Structure>.size). Begin"
        + " with its ..._INIT macro, and use the header and the library of one version.")
  }
}

/// Refuses flags of which the library knows nothing.
func checkFlags(_ flags: UInt32, among known: UInt32) throws(Refusal) {
  guard flags & ~known == 0 else {
    throw .misuse("flags has the unknown bits \(flags & ~known). Set only those that the header names.")
  }
}

/// What a callback returned, as Swift has it; throws for what no callback returns.
func step(_ answer: Int32) throws(Refusal) -> SedimentIteration {
  switch answer {
  case Int32(SEDIMENT_CONTINUE.rawValue): .continue
  case Int32(SEDIMENT_STOP.rawValue): .stop
  default:
    throw .misuse("The callback returned \(answer). It may return SEDIMENT_CONTINUE and SEDIMENT_STOP.")
  }
}

extension Bytes {
  /// The bytes of a value in a structure of the caller's.
  init(_ bytes: sediment_bytes, _ name: String, sizeMax: UInt = Bytes.valueSizeMax) throws(Refusal) {
    guard let valid = unsafe Bytes(bytes.data, bytes.size, sizeMax: sizeMax) else {
      throw unsafe impossible(name, bytes.data, bytes.size, sizeMax: sizeMax)
    }
    self = valid
  }
}

extension sediment_bytes {
  /// Bytes of the library's for C, which are at an address even if there are none.
  init(_ bytes: UnsafeRawBufferPointer) {
    let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(noBytes.utf8Start)
    unsafe self.init(data: start, size: bytes.count)
  }
}

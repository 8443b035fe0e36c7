internal import Sediment

/// A walk through keys that stops at each: it copies the keys of a few neighbours in the index at a time, or of all if
/// they are to be sorted, and reads each value when it comes to its key.
@safe
struct Cursor: ~Copyable {
  let hasValues: Bool
  private let collection: SedimentCollection
  private let prefix: [UInt8]
  /// Nil when the last keys are copied.
  private var walk: KeyWalk?
  private var keys = GrowingBytes()
  /// Where the keys that are copied end.
  private var ends: [Int] = []
  /// The number of the key to which it has come among them.
  private var number = -1
  private var valueBytes = GrowingBytes()
  /// The errors of damaged records that were passed over, each of which one call has still to tell.
  private var damages: [SedimentError] = []

  init(_ collection: SedimentCollection, prefix: [UInt8], isSorted: Bool, hasValues: Bool) throws {
    self.collection = collection
    self.prefix = prefix
    self.hasValues = hasValues
    walk = try KeyWalk(collection)
    guard isSorted else { return }
    var found: [[UInt8]] = []
    while try Self.visit(&walk, prefix, &damages, { found.append([UInt8](sedimentBytes: $0)) }) {}
    for key in found.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      unsafe try key.withUnsafeBytes { unsafe try append($0) }
    }
  }

  /// The key to which it has come, valid until `advance`.
  var key: UnsafeRawBufferPointer {
    let start = number == 0 ? 0 : ends[number - 1]
    return unsafe UnsafeRawBufferPointer(
      start: keys.start.map { unsafe $0 + start }, count: ends[number] - start)
  }

  /// The value of the key, valid until `advance`.
  var value: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: valueBytes.start, count: valueBytes.count)
  }

  /// Goes on to the next key; false if there is none.
  ///
  /// Throws for each record that is damaged and each value that cannot be read; the next call goes on after it.
  mutating func advance() throws -> Bool {
    try collection.checkUsable()
    while true {
      if let damage = damages.popLast() { throw damage }
      while number + 1 < ends.count {
        number += 1
        // One that was removed since it was copied is left out.
        if try !hasValues || readValue() { return true }
      }
      // What was damaged among the last keys is told before the end.
      guard try copyKeys() || !damages.isEmpty else { return false }
    }
  }

  private mutating func readValue() throws -> Bool {
    valueBytes.removeAll()
    let key = unsafe key
    let found: Void? = unsafe try collection.withExpiringValue(forKey: RawSpan(_unsafeBytes: key)) {
      value, _ in
      unsafe try valueBytes.append(value)
    }
    return found != nil
  }

  /// Copies the next keys, which may be none; false at the end.
  private mutating func copyKeys() throws -> Bool {
    keys.removeAll()
    ends.removeAll(keepingCapacity: true)
    number = -1
    var refusal: Refusal?
    // The closure changes the cursor itself.
    var (walk, damages) = (self.walk, self.damages)
    defer { (self.walk, self.damages) = (walk, damages) }
    let goesOn = try Self.visit(&walk, prefix, &damages) { key in
      do throws(Refusal) {
        unsafe try key.withUnsafeBytes { (key) throws(Refusal) in unsafe try append(key) }
      } catch {
        refusal = error
      }
    }
    if let refusal {
      walk = nil
      ends.removeAll()
      throw refusal
    }
    return goesOn
  }

  /// Calls a closure with the next keys of a walk, and notes what is damaged; false at the end.
  private static func visit(
    _ walk: inout KeyWalk?, _ prefix: [UInt8], _ damages: inout [SedimentError], _ body: (RawSpan) -> Void
  ) throws -> Bool {
    guard var next = walk else { return false }
    // Any failure but damage ends the walk: it could only fail there again.
    walk = nil
    var found: [SedimentError] = []
    let goesOn = try next.next(withPrefix: prefix, damage: { found.append($0) }, body)
    damages += found
    if goesOn { walk = next }
    return goesOn
  }

  private mutating func append(_ key: UnsafeRawBufferPointer) throws(Refusal) {
    unsafe try keys.append(key)
    ends.append(keys.count)
  }
}

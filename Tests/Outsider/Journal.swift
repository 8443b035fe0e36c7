import Foundation
import Synchronization

/// Tells another process of each change before it begins and when it has ended.
final class Journal: Sendable {
  private let descriptor: Int32
  private let lock = Mutex(())

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func begin(_ thread: Int, _ time: UInt64, _ changes: [Change]) {
    send(.begin(thread: thread, time: time, changes: changes))
  }

  func end(_ thread: Int, _ time: UInt64, _ isMade: Bool) {
    send(.end(thread: thread, time: time, isMade: isMade))
  }

  func send(_ message: Message) {
    let bytes = message.bytes
    // What is longer than the pipe takes at once must not be mixed with what others tell.
    lock.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        // Nobody listens any more.
        guard count > 0 else { _exit(3) }
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// What processes tell each other.
enum Message {
  /// A change is about to be made.
  case begin(thread: Int, time: UInt64, changes: [Change])
  /// It was made, or not.
  case end(thread: Int, time: UInt64, isMade: Bool)
  /// A key is there, as it was left.
  case entry(thread: Int, space: String, key: Key, value: Value, life: Life)
  /// The store is open.
  case opened

  var bytes: [UInt8] {
    var writer = Writer()
    switch self {
    case .begin(let thread, let time, let changes):
      writer.add(0, thread, Int(time), changes.count)
      for change in changes { writer.add(change) }
    case .end(let thread, let time, let isMade): writer.add(1, thread, Int(time), isMade ? 1 : 0)
    case .entry(let thread, let space, let key, let value, let life):
      writer.add(2, thread)
      writer.add(space)
      writer.add(key)
      writer.add(value)
      writer.add(Int(bitPattern: UInt(life.earliest)), Int(bitPattern: UInt(life.latest)))
    case .opened: writer.add(3)
    }
    return writer.framed
  }

  /// Nil for bytes that no message has.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = Reader(rest: bytes)
    switch reader.number() {
    case 0:
      let thread = reader.number()
      let time = UInt64(reader.number())
      var changes: [Change] = []
      for _ in 0..<reader.number() {
        guard let change = reader.change() else { return nil }
        changes.append(change)
      }
      self = .begin(thread: thread, time: time, changes: changes)
    case 1:
      self = .end(thread: reader.number(), time: UInt64(reader.number()), isMade: reader.number() == 1)
    case 2:
      let thread = reader.number()
      let space = reader.text()
      let key = reader.key()
      let value = reader.value()
      let earliest = UInt64(UInt(bitPattern: reader.number()))
      let life = Life(earliest: earliest, latest: UInt64(UInt(bitPattern: reader.number())))
      self = .entry(thread: thread, space: space, key: key, value: value, life: life)
    case 3: self = .opened
    default: return nil
    }
  }
}

/// Makes the bytes of a message: numbers of eight bytes, and text.
private struct Writer {
  private var bytes: [UInt8] = []

  /// The bytes behind their number.
  var framed: [UInt8] { unsafe withUnsafeBytes(of: bytes.count) { unsafe [UInt8]($0) } + bytes }

  mutating func add(_ numbers: Int...) {
    for number in numbers { unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) } }
  }

  mutating func add(_ text: String) {
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func add(_ key: Key) { add(Int(key.thread), Int(key.number), Int(key.byteCount)) }

  mutating func add(_ value: Value) {
    add(Int(bitPattern: UInt(value.stamp)), value.byteCount, Content.allCases.firstIndex(of: value.content)!)
  }

  mutating func add(_ term: Term) {
    switch term {
    case .never: add(0, 0)
    case .unchanged: add(1, 0)
    case .after(let milliseconds): add(2, milliseconds)
    case .at(let milliseconds): add(3, Int(milliseconds))
    }
  }

  mutating func add(_ change: Change) {
    switch change {
    case .set(let space, let key, let value, let term):
      add(0)
      add(space)
      add(key)
      add(value)
      add(term)
    case .remove(let space, let key):
      add(1)
      add(space)
      add(key)
    case .live(let space, let key, let term):
      add(2)
      add(space)
      add(key)
      add(term)
    case .clear(let space):
      add(3)
      add(space)
    case .create(let space):
      add(4)
      add(space)
    case .drop(let space):
      add(5)
      add(space)
    case .clearEverything: add(6)
    }
  }
}

/// Reads what `Writer` makes, which is whole.
private struct Reader {
  var rest: ArraySlice<UInt8>

  mutating func number() -> Int {
    guard rest.count >= 8 else { return -1 }
    defer { rest = rest.dropFirst(8) }
    return unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: Int.self) }
  }

  mutating func text() -> String {
    let count = max(number(), 0)
    defer { rest = rest.dropFirst(count) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }

  mutating func key() -> Key {
    let thread = UInt8(truncatingIfNeeded: number())
    let number = UInt32(truncatingIfNeeded: self.number())
    return Key(thread: thread, number: number, byteCount: self.number())
  }

  mutating func value() -> Value {
    let stamp = UInt64(UInt(bitPattern: number()))
    let byteCount = number()
    return Value(stamp: stamp, byteCount: byteCount, content: Content.allCases[min(max(number(), 0), 3)])
  }

  mutating func term() -> Term {
    let kind = number()
    let milliseconds = number()
    return switch kind {
    case 1: .unchanged
    case 2: .after(milliseconds: milliseconds)
    case 3: .at(milliseconds: UInt64(milliseconds))
    default: .never
    }
  }

  mutating func change() -> Change? {
    switch number() {
    case 0: .set(text(), key(), value(), term())
    case 1: .remove(text(), key())
    case 2: .live(text(), key(), term())
    case 3: .clear(text())
    case 4: .create(text())
    case 5: .drop(text())
    case 6: .clearEverything
    default: nil
    }
  }
}

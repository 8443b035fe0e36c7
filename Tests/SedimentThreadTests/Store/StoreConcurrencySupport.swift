import Foundation
import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// How much the concurrency tests do: the thread sanitizer makes everything ten times as slow, and a build without
/// optimization nearly so.
enum ConcurrencyScale {
  /// A number for an optimized build, or its tenth, or its fortieth.
  static func of(_ full: Int) -> Int {
    #if DEBUG
      return max(hasThreadSanitizer ? full / 40 : full / 10, 1)
    #else
      return max(hasThreadSanitizer ? full / 40 : full, 1)
    #endif
  }
}

/// A store in a folder of its own, in memory where there is such a place; it goes with its last reference.
final class TemporaryStore: Sendable {
  let path: String
  private let folder: URL

  init() throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    folder = (isThere ? memory : FileManager.default.temporaryDirectory)
      .appendingPathComponent("sediment-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.appendingPathComponent("store.sediment").path
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func open(
    _ access: SedimentOptions.Access = .automatic, durability: SedimentDurability = .unsynced
  ) throws -> SedimentStore {
    try SedimentStore(path: path, options: SedimentOptions(durability: durability, access: access))
  }
}

/// Threads that work on one thing, and what they found wrong.
final class Crew: Sendable {
  private let complaints = Mutex<[String]>([])
  private let threads = Mutex<[TestThread]>([])
  private let isOver = Atomic(false)

  /// Whether those that go on until the others are done are to end.
  var isDone: Bool { isOver.load(ordering: .relaxed) }

  func complain(_ message: @autoclosure () -> String) {
    complaints.withLock { if $0.count < 20 { $0.append(message()) } }
  }

  /// Starts a thread; what it throws is a complaint.
  func start(_ body: @escaping @Sendable (Crew) throws -> Void) {
    let thread = TestThread { [self] in
      do {
        try body(self)
      } catch {
        complain("\(error)")
      }
    }
    threads.withLock { $0.append(thread) }
  }

  /// Starts a thread that does something again and again until the others are done, and at least once.
  func repeating(_ body: @escaping @Sendable (inout SeededGenerator, Crew) throws -> Void) {
    let number = threads.withLock { $0.count }
    start { crew in
      var generator = SeededGenerator(seed: UInt64(number))
      repeat { try body(&generator, crew) } while !crew.isDone
    }
  }

  /// Waits for threads.
  func join() {
    let all = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in all { thread.join() }
  }

  /// Runs a part of the work to its end while the threads that repeat go on; then ends those, too.
  func work(_ body: (Crew) throws -> Void) throws {
    let others = Crew()
    do {
      try body(others)
    } catch {
      complain("\(error)")
    }
    others.join()
    for complaint in others.complaints.withLock({ $0 }) { complain(complaint) }
    isOver.store(true, ordering: .relaxed)
    join()
    check()
  }

  private func check(_ location: SourceLocation = #_sourceLocation) {
    for complaint in complaints.withLock({ $0 }) { Issue.record("\(complaint)", sourceLocation: location) }
  }
}

/// A key each of whose values tells its version, and what readers may find at a moment.
///
/// One thread changes it. Every seventh version is a removal.
final class VersionedKey: Sendable {
  let key: String
  private let begun = Atomic(0)
  private let done = Atomic(0)

  init(_ number: Int) {
    key = "key:\(number)"
  }

  static func isRemoval(_ version: Int) -> Bool { version % 7 == 0 }

  /// The value of a version: the version, and the key again and again.
  func value(_ version: Int) -> [UInt8] {
    let piece = Array("\(key)@\(version);".utf8)
    return (0...(version % 5)).flatMap { _ in piece }
  }

  /// The version that a value is of; nil if it is none of this key's.
  func version(of value: [UInt8]) -> Int? {
    let text = String(decoding: value, as: UTF8.self)
    guard let piece = text.split(separator: ";").first, piece.hasPrefix("\(key)@"),
      let version = Int(piece.dropFirst(key.utf8.count + 1)), self.value(version) == value
    else { return nil }
    return version
  }

  /// Makes the next version by `change`, which gets its value or, for a removal, nil.
  func change(_ change: ([UInt8]?) throws -> Void) rethrows {
    let version = begun.load(ordering: .relaxed) + 1
    begun.store(version, ordering: .releasing)
    try change(Self.isRemoval(version) ? nil : value(version))
    done.store(version, ordering: .releasing)
  }

  /// The last version that is surely there, and the last that may be.
  var doneVersion: Int { done.load(ordering: .acquiring) }
  var begunVersion: Int { begun.load(ordering: .acquiring) }

  /// What is wrong with what a read found that began when `doneVersion` was `before`; nil if nothing is.
  func complaint(_ found: [UInt8]?, before: Int) -> String? {
    let after = begunVersion
    guard let found else {
      // Some version in between must have been a removal, as version 0 is.
      return (before...after).contains(where: Self.isRemoval)
        ? nil : "\(key): nothing, and versions \(before) to \(after) have a value"
    }
    guard let version = version(of: found) else {
      return "\(key): a value that nobody set, of \(found.count) bytes"
    }
    return (before...after).contains(version) && !Self.isRemoval(version)
      ? nil : "\(key): version \(version), and it was \(before) to \(after)"
  }
}

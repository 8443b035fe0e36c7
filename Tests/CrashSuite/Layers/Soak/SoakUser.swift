import Foundation
import Sediment
import SedimentTesting

/// A thread's keys, the values that it knows them to have, and what it does with them.
struct SoakUser {
  /// What its store may do of its own accord.
  enum Rule {
    case keepsAll
    /// Leaves out what was not read lately.
    case evicts
    /// Refuses what it has no room for.
    case mayRefuse
  }

  private let number: Int
  private let keyCount: Int
  private let rule: Rule
  private var generator: SeededGenerator
  /// The version of each key that was set and not removed.
  private var versions: [Int: Int] = [:]
  private var lastVersion = 0
  private var count = 0

  init(number: Int, keyCount: Int, _ rule: Rule, seed: UInt64) {
    self.number = number
    self.keyCount = keyCount
    self.rule = rule
    generator = SeededGenerator(seed: seed &* 16 &+ UInt64(number))
  }

  /// How many operations there were since the last call.
  mutating func takeCount() -> Int {
    defer { count = 0 }
    return count
  }

  mutating func use(_ store: SedimentStore, until end: Date) throws {
    let sessions = try store.collection("sessions")
    while Date() < end {
      for _ in 0..<64 {
        try step(store, sessions)
        count += 1
      }
    }
  }

  /// Everything that a store has of this thread is what it should be.
  func check(_ store: SedimentStore) throws {
    for key in 0..<keyCount { try expect(store.retrieve(forKey: name(key)), key) }
  }

  private mutating func step(_ store: SedimentStore, _ sessions: SedimentCollection) throws {
    let key = random(keyCount)
    switch random(100) {
    case 0..<40: try change(store, [key])
    case 40..<44: try change(store, (0..<5).map { (key + $0) % keyCount })
    case 44..<56:
      try store.remove(forKey: name(key))
      versions[key] = nil
    case 56..<66: try useSession(sessions, key % 1_000)
    default: try read(store, key)
    }
  }

  private mutating func read(_ store: SedimentStore, _ key: Int) throws {
    let value = try store.retrieve(forKey: name(key))
    try expect(value, key)
    // What was left out must not come back.
    if value == nil { versions[key] = nil }
  }

  private mutating func change(_ store: SedimentStore, _ keys: [Int]) throws {
    lastVersion += 1
    do {
      if keys.count == 1 {
        try store.set(value(keys[0], lastVersion), forKey: name(keys[0]))
      } else {
        try store.batch { batch in
          for key in keys { batch.set(value(key, lastVersion), forKey: name(key)) }
        }
      }
      for key in keys { versions[key] = lastVersion }
    } catch let error as SedimentError where error.code == .outOfSpace && rule == .mayRefuse {
      // Somebody has to make room.
      for key in versions.keys.sorted().prefix(50) {
        try store.remove(forKey: name(key))
        versions[key] = nil
      }
    }
  }

  /// Sets or reads a value that expires soon.
  private mutating func useSession(_ sessions: SedimentCollection, _ key: Int) throws {
    if random(2) == 0 {
      do {
        try sessions.set(value(key, 0), forKey: name(key), expiresIn: .milliseconds(100))
      } catch let error as SedimentError where error.code == .outOfSpace && rule == .mayRefuse {}
    } else if let found = try sessions.retrieve(forKey: name(key)), found != value(key, 0) {
      throw SoakMistake("the session '\(name(key))' is another")
    }
  }

  private func expect(_ found: [UInt8]?, _ key: Int) throws {
    let expected = versions[key].map { value(key, $0) }
    if found == expected || found == nil && rule == .evicts { return }
    throw SoakMistake(
      "'\(name(key))' has \(found?.count ?? -1) bytes, and not the \(expected?.count ?? -1) of version "
        + "\(versions[key] ?? 0)")
  }

  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private func name(_ key: Int) -> String { "\(number)/\(key)" }

  /// Mostly some hundred bytes, as text or not; of a few keys a large value.
  private func value(_ key: Int, _ version: Int) -> [UInt8] {
    let length = key % 500 == 499 && rule == .keepsAll ? 150_000 : 40 + key % 700
    var piece = Array("{\"key\": \(key), \"version\": \(version), \"of\": \(number)} ".utf8)
    if key % 2 == 0 {
      var other = SeededGenerator(seed: UInt64(key) << 32 | UInt64(version))
      for place in 0..<64 where place >= piece.count { piece.append(UInt8(truncatingIfNeeded: other.next())) }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length + piece.count)
    while bytes.count < length { bytes += piece }
    bytes.removeLast(bytes.count - length)
    return bytes
  }
}

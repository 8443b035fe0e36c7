import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// Everything that one thread can do, held against a model, through closes and deaths of the process.
@Suite struct DefectModelTests {
  struct Value: Equatable {
    var bytes: [UInt8]
    var expiry: UInt64 = 0
  }

  typealias Model = [String: [String: Value]]

  static func isThere(_ value: Value, _ now: UInt64) -> Bool { value.expiry == 0 || value.expiry > now }

  static func expectSame(
    _ store: SedimentStore, _ model: Model, _ now: UInt64, _ place: String
  ) throws -> Bool {
    let names = model.keys.filter { !$0.isEmpty }.sorted()
    if store.collectionNames != names {
      Issue.record("\(place): collections \(store.collectionNames), not \(names)")
      return false
    }
    for (name, values) in model {
      let keyspace = try name.isEmpty ? store.defaultCollection : store.collection(name)
      let expected = values.filter { isThere($0.value, now) }
      var found: [String: [UInt8]] = [:]
      try keyspace.forEach { key, value in
        let key = String(sedimentBytes: key)!
        if found[key] != nil { Issue.record("\(place): \(key) twice") }
        found[key] = [UInt8](sedimentBytes: value)
        return .continue
      }
      if found != expected.mapValues(\.bytes) {
        let wrong = Set(found.keys).union(expected.keys).first { found[$0] != expected[$0]?.bytes }!
        Issue.record(
          "\(place): \(name)/\(wrong) has \(found[wrong]?.count ?? -1), not \(expected[wrong]?.bytes.count ?? -1)"
        )
        return false
      }
      if try keyspace.count() != expected.count {
        Issue.record("\(place): count of \(name) \(try keyspace.count()), not \(expected.count)")
        return false
      }
      for (key, value) in values.prefix(5) {
        let one = try keyspace.retrieve(forKey: key)
        if one != (isThere(value, now) ? value.bytes : nil) {
          Issue.record("\(place): retrieve \(name)/\(key)")
          return false
        }
      }
    }
    return true
  }

  static func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
    let kind = Int.random(in: 0..<40, using: &generator)
    let count =
      kind == 0
      ? Int.random(in: 131_000..<200_000, using: &generator)
      : kind < 6
        ? Int.random(in: 12_000..<20_000, using: &generator) : Int.random(in: 0..<900, using: &generator)
    return [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: count)
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .unmapped], [nil, 3 << 20] as [UInt64?])
  func `Random histories of one thread agree with a model`(access: SedimentOptions.Access, cap: UInt64?)
    throws
  {
    for seed in 1...UInt64(CrashEffort.of(8, long: 150)) where try !one(seed, access, cap) { return }
  }

  func one(_ seed: UInt64, _ access: SedimentOptions.Access, _ cap: UInt64?) throws -> Bool {
    var generator = SeededGenerator(seed: seed)
    var disk = SimulatedDisk(SimulatedDiskOptions(seed: seed, violationRule: .record))
    let scheduler = ManualScheduler()
    let options = SedimentOptions(
      durability: .interval(.milliseconds(5)), access: access, capacity: .limited(cap))
    var model: Model = ["": [:]]
    var store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
    for step in 0..<150 {
      let now = disk.wallClock()
      let name = model.keys.sorted().randomElement(using: &generator)!
      let key = "\(Int.random(in: 0..<12, using: &generator))"
      var after = model
      let place = "seed \(seed) step \(step)"
      do {
        let keyspace = try name.isEmpty ? store.defaultCollection : store.collection(name)
        let old = model[name]![key].flatMap { Self.isThere($0, now) ? $0 : nil }
        switch Int.random(in: 0..<30, using: &generator) {
        case 0..<8:
          let value = Self.bytes(&generator)
          after[name]![key] = Value(bytes: value)
          try keyspace.set(value, forKey: key)
        case 8..<10:
          let value = Self.bytes(&generator)
          after[name]![key] = Value(bytes: value, expiry: now + 50)
          try keyspace.set(value, forKey: key, expiresIn: .milliseconds(50))
        case 10:
          let value = Self.bytes(&generator)
          after[name]![key] = Value(bytes: value, expiry: old?.expiry ?? 0)
          try keyspace.set(value, forKey: key, expiry: .unchanged)
        case 11..<14:
          after[name]![key] = nil
          if try keyspace.remove(forKey: key) != (old != nil) { Issue.record("\(place): remove") }
        case 14:
          let value = Self.bytes(&generator)
          if old == nil { after[name]![key] = Value(bytes: value) }
          if try keyspace.setIfAbsent(value, forKey: key) != (old == nil) { Issue.record("\(place): absent") }
        case 15:
          try keyspace.update(forKey: key) { present in
            if present != old?.bytes { Issue.record("\(place): update sees another value") }
            return (present ?? []) + [7]
          }
          after[name]![key] = Value(bytes: (old?.bytes ?? []) + [7], expiry: old?.expiry ?? 0)
        case 16:
          if old != nil { after[name]![key]!.expiry = now + 20 }
          if try keyspace.setExpiry(.after(.milliseconds(20)), forKey: key) != (old != nil) {
            Issue.record("\(place): setExpiry")
          }
        case 17..<20:
          var changes: [(String, String, [UInt8]?)] = []
          for _ in 0..<Int.random(in: 1..<8, using: &generator) {
            let name = model.keys.sorted().randomElement(using: &generator)!
            let key = "\(Int.random(in: 0..<12, using: &generator))"
            changes.append(
              (name, key, Int.random(in: 0..<3, using: &generator) > 0 ? Self.bytes(&generator) : nil))
          }
          for (name, key, value) in changes { after[name]![key] = value.map { Value(bytes: $0) } }
          let handles = try Dictionary(
            uniqueKeysWithValues: model.keys.filter { !$0.isEmpty }.map { ($0, try store.collection($0)) })
          try store.batch { batch in
            for (name, key, value) in changes {
              switch (handles[name], value) {
              case (nil, let value?): batch.set(value, forKey: key)
              case (nil, nil): batch.remove(forKey: key)
              case (let handle?, let value?): batch.set(value, forKey: key, in: handle)
              case (let handle?, nil): batch.remove(forKey: key, in: handle)
              }
            }
          }
        case 20, 21:
          let new = "c\(Int.random(in: 0..<5, using: &generator))"
          after[new] = model[new] ?? [:]
          _ = try store.collection(new)
        case 22:
          let gone = "c\(Int.random(in: 0..<5, using: &generator))"
          after[gone] = nil
          if try store.dropCollection(gone) != (model[gone] != nil) { Issue.record("\(place): drop") }
        case 23:
          after[name] = [:]
          try keyspace.removeAll()
        case 24 where Int.random(in: 0..<4, using: &generator) == 0:
          after = model.mapValues { _ in [:] }
          try store.removeEverything()
        case 25: try store.checkpoint()
        case 26: disk.advanceClocks(by: .milliseconds(13))
        case 27:
          scheduler.advance(by: 6_000_000)
        case 28:
          try store.close()
          store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
        case 29:
          disk = disk.afterProcessDeath()
          store = try SedimentStore(
            path: "/store", options: options, disk: disk, scheduler: ManualScheduler())
        default: break
        }
        model = after
      } catch let error as SedimentError {
        guard error.code == .outOfSpace, cap != nil else {
          Issue.record("\(place): \(error)")
          return false
        }
      }
      if let violation = disk.violations.first {
        Issue.record("\(place): \(violation)")
        return false
      }
      if step % 3 == 0 || cap != nil, try !Self.expectSame(store, model, disk.wallClock(), place) {
        return false
      }
    }
    try store.close()
    return true
  }
}

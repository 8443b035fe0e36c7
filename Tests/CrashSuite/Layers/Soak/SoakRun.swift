import CrashModel
import Foundation
import Sediment
import SedimentTesting
import Synchronization

/// The stores of a soak, and those who use them round after round.
final class SoakRun: Sendable {
  /// A store with the threads that use it.
  private struct Place {
    var name: String
    var path: String
    var options: SedimentOptions
    var users: [SoakUser]
  }

  private static let evictingByteCount: UInt64 = 12 << 20

  private let folder: SuiteFolder
  private let memory: SuiteFolder
  /// Nil where nothing can be mounted.
  private let smallDisk: SmallDisk?
  private let places: Mutex<[Place]>
  private let victim: Mutex<SoakVictim>
  private let found = Mutex<[String]>([])
  private let count = Atomic(0)

  init(seed: UInt64) throws {
    folder = try SuiteFolder(isInMemory: false)
    memory = try SuiteFolder(isInMemory: true)
    smallDisk = PrivateMounts.areAllowed ? try SmallDisk(byteCount: 6 << 20) : nil
    func users(_ count: Int, _ first: Int, keyCount: Int, _ rule: SoakUser.Rule) -> [SoakUser] {
      (first..<first + count).map { SoakUser(number: $0, keyCount: keyCount, rule, seed: seed) }
    }
    var places = [
      Place(
        name: "the uncapped store", path: folder["uncapped.sediment"],
        options: SedimentOptions(durability: .interval(.milliseconds(50))),
        users: users(2, 0, keyCount: 4_000, .keepsAll)),
      Place(
        name: "the capped store", path: memory["capped.sediment"],
        options: SedimentOptions(
          durability: .unsynced, capacity: .evicting(maxBytes: Self.evictingByteCount)),
        users: users(1, 2, keyCount: 60_000, .evicts)),
    ]
    if let smallDisk {
      places.append(
        Place(
          name: "the store on a nearly full disk", path: smallDisk["small.sediment"],
          options: SedimentOptions(durability: .unsynced), users: users(1, 3, keyCount: 20_000, .mayRefuse)))
    }
    victim = Mutex(SoakVictim(path: memory["victim.sediment"], seed: seed))
    self.places = Mutex(places)
  }

  var operationCount: Int { count.load(ordering: .relaxed) }
  var complaints: [String] { found.withLock { $0 } }

  /// Opens all stores, uses them for so long, compacts and closes them.
  func round(seconds: Double) throws -> SoakFigures {
    let end = Date().addingTimeInterval(seconds)
    let all = places.withLock { $0 }
    let used = Mutex<[[SoakUser]]>(all.map(\.users))
    try letting {
      let stores = try all.map { try SedimentStore(path: $0.path, options: $0.options) }
      var jobs: [@Sendable () -> Void] = []
      for (place, store) in stores.enumerated() {
        for (number, user) in all[place].users.enumerated() {
          jobs.append { [self] in
            var user = user
            noting(all[place].name) { try user.use(store, until: end) }
            count.add(user.takeCount(), ordering: .relaxed)
            used.withLock { [user] in $0[place][number] = user }
          }
        }
        jobs.append { [self] in noting(all[place].name) { try Self.tidy(store, until: end) } }
      }
      jobs.append { [self] in
        noting("a process that is killed") {
          let operationCount = try victim.withLock { try $0.killAgainAndAgain(until: end) }
          count.add(operationCount, ordering: .relaxed)
        }
      }
      SuiteThreads.run(jobs)
      for (place, store) in stores.enumerated() {
        noting(all[place].name) {
          if case .evicting(let byteCount) = all[place].options.capacity {
            let fileByteCount = store.statistics.fileByteCount
            if fileByteCount > byteCount { throw SoakMistake("a capped file of \(fileByteCount) bytes") }
          }
          // What is dead when the users end depends on when compaction last ran; what it leaves may not grow.
          try store.compact()
          try store.expectRest()
          try store.expectAccounts()
          try store.close()
        }
      }
    }
    let users = used.withLock { $0 }
    places.withLock { places in for place in places.indices { places[place].users = users[place] } }
    return SoakFigures(files: Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.path) }))
  }

  /// Verifies all files, and that each holds what it should.
  func finish() throws {
    for place in places.withLock({ $0 }) {
      noting(place.name) {
        let report = try SedimentStore.verify(path: place.path)
        if !report.isIntact { throw SoakMistake("verification: \(report.findings.map(\.description))") }
        let store = try SedimentStore(path: place.path, options: place.options)
        for user in place.users { try user.check(store) }
        try store.expectRest()
        try store.expectAccounts()
        try store.close()
      }
    }
  }

  /// Compacts now and then, and makes a copy that goes again where there is room for one.
  private static func tidy(_ store: SedimentStore, until end: Date) throws {
    while Date() < end {
      usleep(100_000)
      try store.compact()
      let copy = store.path + ".copy"
      do {
        try store.backup(to: copy)
        try SedimentStore.destroy(path: copy)
      } catch let error as SedimentError where error.code == .outOfSpace {}
    }
  }

  private func noting(_ name: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      found.withLock { $0.append("\(name): \(error)") }
    }
  }

  /// Calls a closure, whose objects are gone when it returns.
  @inline(never)
  private func letting(_ body: () throws -> Void) rethrows { try body() }
}

/// Something was not as it should be.
struct SoakMistake: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

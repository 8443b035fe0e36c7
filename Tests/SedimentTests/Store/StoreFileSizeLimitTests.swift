import Foundation
import Sediment
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A store whose file may not become larger than the process's limit for files.
struct StoreFileSizeLimitTests {
  @Test(arguments: accesses)
  func `A store at the limit refuses what is too much, and goes on`(access: SedimentOptions.Access)
    async throws
  {
    let number = accesses.firstIndex(of: access) ?? 0
    await #expect(processExitsWith: .exitCode(7)) { [number = number as Int] in
      try useStoreAtLimit(access: accesses[number])
      exit(7)
    }
  }
}

extension StoreFileSizeLimitTests {
  @Test(arguments: accesses)
  func `A limit below the length of the file refuses changes until it is raised`(
    access: SedimentOptions.Access
  ) async throws {
    let number = accesses.firstIndex(of: access) ?? 0
    await #expect(processExitsWith: .exitCode(7)) { [number = number as Int] in
      try useStoreBeyondLimit(access: accesses[number])
      exit(7)
    }
  }
}

private func useStoreBeyondLimit(access: SedimentOptions.Access) throws {
  // A process that lowers its limit has arranged for the signal.
  signal(SIGXFSZ, SIG_IGN)
  // In memory if possible, since a file system that is not known may report what it refused later.
  let directory = try StoreDirectory(takesManySyncs: true)
  let options = SedimentOptions(durability: .unsynced, access: access)
  let store = try SedimentStore(path: directory["store"], options: options)
  for key in 0..<2_000 { try store.set(pattern(1_000, key), forKey: "\(key)") }
  try store.sync()
  limitFileSize(1 << 20)
  var held = 2_000
  // Some may be stored into the window, but none that is synced.
  #expect(code { try store.set(pattern(1_000, 1), forKey: "0", durability: .synced) } == .outOfSpace)
  while code({ try store.set(pattern(1_000, held), forKey: "\(held)") }) == nil, held < 3_000 { held += 1 }
  #expect(held < 2_200)
  let isAsBefore = try same(store.retrieve(forKey: "0"), pattern(1_000, 0))
  #expect(try isAsBefore && store.count() == held)
  limitFileSize(nil)
  try store.set(pattern(1_000, held), forKey: "\(held)", durability: .synced)
  try store.close()
  let again = try SedimentStore(path: directory["store"], options: options)
  #expect(try again.recovery.wasClosed && again.count() == held + 1)
  try again.close()
  try FileManager.default.removeItem(atPath: directory.path)
}

/// What the process does before it exits, in a function of its own: the stores must be gone by then, or the
/// address sanitizer takes their memory for leaked.
private func useStoreAtLimit(access: SedimentOptions.Access) throws {
  let directory = try StoreDirectory()
  limitFileSize(2 << 20)
  let options = SedimentOptions(access: access)
  let store = try SedimentStore(path: directory["store"], options: options)
  var held = 0
  do {
    while held < 3_000 {
      try store.set(pattern(1_000, held), forKey: "\(held)")
      held += 1
    }
  } catch let error as SedimentError {
    #expect(error.code == .outOfSpace)
  }
  #expect(held > 500 && held < 3_000)
  for key in 0..<held / 2 { try store.remove(forKey: "\(key)") }
  try store.compact()
  try store.set(pattern(1_000, 1), forKey: "again")
  try store.close()
  let again = try SedimentStore(path: directory["store"], options: options)
  #expect(try again.count() == held - held / 2 + 1)
  try again.close()
  try FileManager.default.removeItem(atPath: directory.path)
}

/// Sets the limit for files, or with nil raises it to where it may be.
private func limitFileSize(_ byteCount: Int?) {
  var limit = rlimit()
  #if os(Linux) && !canImport(Musl)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    let resource = RLIMIT_FSIZE
  #endif
  precondition(unsafe getrlimit(resource, &limit) == 0)
  limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
  precondition(unsafe setrlimit(resource, &limit) == 0)
}

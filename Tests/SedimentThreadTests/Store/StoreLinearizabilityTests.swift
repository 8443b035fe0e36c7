import CrashModel
import Sediment
import SedimentSupport
import Testing

/// Threads that use one store in all ways, whose histories one order of the operations must explain.
@Suite(.serialized) struct StoreLinearizabilityTests {
  @Test(arguments: StoreConcurrencyTests.accesses)
  func `What threads saw of a store is explained by one order of what they did`(
    _ access: SedimentOptions.Access
  ) throws {
    let files = try TemporaryStore()
    var options = SedimentOptions(durability: .unsynced, access: access)
    // Some dead records are enough for the background to move what is live.
    options.slackSlotCount = 3
    let store = try SedimentStore(path: files.path, options: options)
    let use = try ConcurrentUse(
      store, userCount: 4, operationCount: ConcurrencyScale.of(4_000), seed: 1)
    let threads = use.jobs(copyPath: files.path + ".copy").map { TestThread($0) }
    for thread in threads { thread.join() }
    try use.readAll(of: store)
    try store.close()
    let again = try files.open(access)
    try use.readAll(of: again)
    #expect(use.complaints() == [])
  }
}

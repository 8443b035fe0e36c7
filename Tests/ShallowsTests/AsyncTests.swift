import Shallows
import Testing

/// The forms that are awaited.
struct AsyncTests {
  /// What may not leave the actor that made it.
  private final class Note {
    var text: String

    init(_ text: String) { self.text = text }
  }

  @Test(arguments: [StorageProbe.Delivery.inline, .elsewhere])
  func `Every call can be awaited`(delivery: StorageProbe.Delivery) async throws {
    let probe = StorageProbe(["a": 1], delivery: delivery)
    #expect(try await probe.retrieve(forKey: "a") == 1)
    await #expect(throws: StorageError.noValue) { try await probe.retrieve(forKey: "b") }
    try await probe.set(2, forKey: "b")
    try await probe.set(3, forKey: "c", expiry: .never)
    let storage = probe.asStorage()
    #expect(try await storage.retrieve(forKeys: ["c", "x", "b"]) == [3, nil, 2])
    try await storage.remove(forKey: "b")
    try await storage.removeAll()
    #expect(probe.values.isEmpty)
    probe.fail(.set, with: ProbeError())
    await #expect(throws: ProbeError()) { try await probe.set(1, forKey: "a") }
  }

  /// An actor whose values nobody else may see.
  private actor Library {
    private let notes = MemoryStorage<String, Note>()
    private let titles: Storage<String, Note>

    init(_ base: Storage<String, String>) {
      titles = base.mapValues(transformIn: { Note($0) }, transformOut: { $0.text })
    }

    func change(_ key: String) async throws -> String {
      let note = try await titles.retrieve(forKey: key)
      note.text += "!"
      try await notes.set(note, forKey: key)
      preconditionIsolated()
      try await titles.set(note, forKey: key)
      preconditionIsolated()
      let same = try await notes.retrieve(forKey: key)
      let both = try await zip(notes, titles).retrieve(forKey: key)
      return [same, both.0, both.1].map(\.text).joined()
    }
  }

  @Test func `They run on the actor of whom calls them, with values that must stay there`() async throws {
    let memory = MemoryStorage<String, String>(storage: ["a": "x"])
    #expect(try await Library(memory.asStorage()).change("a") == "x!x!x!")
    #expect(memory.storage == ["a": "x!"])
  }

  @MainActor
  @Test func `They run on the main actor, too`() async throws {
    let notes = MemoryStorage<String, Note>()
    let note = Note("x")
    try await notes.set(note, forKey: "a")
    MainActor.assertIsolated()
    #expect(try await notes.retrieve(forKey: "a") === note)
    let one = notes.singleKey("a")
    try await one.set(note)
    #expect(try await one.retrieve() === note)
    let counts = MemoryStorage<String, Int>(storage: ["a": 1]).validate { _ in true }
    #expect(try await counts.retrieve(forKey: "a") == 1)
    MainActor.assertIsolated()
  }

  @Test func `A storage goes to tasks and actors if its keys and values may`() async throws {
    let storage: Storage<String, Int> = MemoryStorage().combined(with: MemoryStorage())
    let sync = storage.makeSyncStorage()
    try await Task.detached { try await storage.set(4, forKey: "a") }.value
    #expect(try await Task { try await storage.asReadOnlyStorage().retrieve(forKey: "a") }.value == 4)
    #expect(try await Task.detached { try sync.retrieve(forKey: "a") }.value == 4)
  }
}

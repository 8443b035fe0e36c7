import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// What a released version wrote is opened for ever: chapter 11 of the design.
struct ReleasedFilesTests {
  private static let path = "data/released"

  /// The values of text under each key, those of a collection behind its name; others by their length.
  private func texts(of store: SedimentStore) throws -> [String: String] {
    var texts: [String: String] = [:]
    func add(_ keyspace: SedimentKeyspace, _ prefix: String) throws {
      try keyspace.forEach { key, value in
        let value = [UInt8](sedimentBytes: value)
        let text = String(validating: value, as: UTF8.self).flatMap { $0.utf8.count < 100 ? $0 : nil }
        let key = String(decoding: [UInt8](sedimentBytes: key), as: UTF8.self)
        texts[prefix + key] = text ?? "\(value.count) bytes"
        return .continue
      }
    }
    try add(store, "")
    for name in store.collectionNames { try add(try store.collection(name), "\(name)/") }
    return texts
  }

  private func open(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access, readOnly: Bool = false
  ) throws -> SedimentStore {
    try SedimentStore(
      path: Self.path, options: SedimentOptions(mustExist: true, readOnly: readOnly, access: access),
      disk: disk,
      background: ManualBackground())
  }

  private func user(_ number: Int) -> String {
    #"{"name":"user \#(number)","city":"Kharkiv","isActive":true,"visits":\#(number)}"#
  }

  @Test(arguments: accesses)
  func `What version 0.1.0 closed is read, and written to`(access: SedimentOptions.Access) throws {
    let disk = try ReleasedFile.closedBy0_1_0.disk(at: Self.path)
    #expect(try SedimentStore.verify(path: Self.path, on: disk).isIntact)
    var expected = [
      "": "", "city:1": "Kharkiv", "name": "Grace", "session": "short", "text": "22000 bytes",
      "large": "200000 bytes", "\u{FFFD}\0": "2 bytes", "cleared/2": "here", "users/0": user(0),
      "users/1": user(1), "users/name": "Ada",
    ]
    let reader = try open(disk, access, readOnly: true)
    #expect(try texts(of: reader) == expected)
    try reader.close()

    let store = try open(disk, access)
    #expect(store.recovery.wasClosed)
    #expect(store.collectionNames == ["cleared", "empty", "users"])
    #expect(store.statistics.dictionaryCount == 1)
    #expect(try store.expiry(forKey: "session") == .at(milliseconds: 4_102_444_800_000))
    #expect(try store.retrieve(forKey: "large") == [UInt8](repeating: 0, count: 200_000))
    #expect(
      try store.retrieve(forKey: "text", as: String.self)
        == String(repeating: "The log is the store. ", count: 1_000))
    #expect(try store.retrieve(forKey: [255, 0] as [UInt8]) == [0, 255])
    #expect(try texts(of: store) == expected)

    try store.collection("users").set(user(2), forKey: "2", durability: .synced)
    try store.remove(forKey: "city:1")
    try store.compact()
    try store.close()
    expected["users/2"] = user(2)
    expected["city:1"] = nil
    let again = try open(disk, access)
    #expect(try texts(of: again) == expected)
    try again.close()
    #expect(try SedimentStore.verify(path: Self.path, on: disk).isIntact)
  }

  @Test(arguments: accesses)
  func `What version 0.1.0 had open when it was killed is recovered`(access: SedimentOptions.Access) throws {
    let disk = try ReleasedFile.killedBy0_1_0.disk(at: Self.path)
    #expect(try SedimentStore.verify(path: Self.path, on: disk).isIntact)
    let expected = ["city:1": "Lviv", "city:2": "Odesa", "number": "the value of 399"]
    let store = try open(disk, access)
    #expect(!store.recovery.wasClosed)
    #expect(try texts(of: store) == expected)
    try store.set("400", forKey: "number")
    try store.close()
    let again = try open(disk, access)
    #expect(again.recovery.wasClosed)
    #expect(try again.retrieve(forKey: "number", as: String.self) == "400")
    try again.close()
    #expect(try SedimentStore.verify(path: Self.path, on: disk).isIntact)
  }
}

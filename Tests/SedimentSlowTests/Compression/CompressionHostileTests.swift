import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Records whose checksums are right and whose compressed values are not what they say.
@Suite struct CompressionHostileTests {
  private static let value = Samples.text(3_000)

  /// What a store makes of the value.
  private static func frame() throws -> [UInt8] {
    let fixture = try StoreFixture(compression: .zstd(level: 1))
    try fixture.store.set(value, forKey: "the only key")
    let contents = fixture.contents
    let key = Array("the only key".utf8)
    let start = try #require(contents.indices.first { contents[$0...].starts(with: key) }) - 20
    let count = Int(contents[start + 5]) | Int(contents[start + 6]) << 8
    return Array(contents[start + 32..<start + 32 + count])
  }

  /// What reading a value comes to that was stored so.
  private static func read(
    _ stored: [UInt8], _ transform: Transform, kind: RecordKind = .put,
    access: SedimentOptions.Access = .automatic
  ) throws -> Result<[UInt8]?, SedimentError> {
    var builder = try LogBuilder(slotCount: 4)
    try builder.open()
    try builder.append(.put, key: Array("before".utf8), value: [1, 2, 3])
    try builder.append(kind, key: Array("key".utf8), value: stored, transform: transform)
    try builder.close()
    let store = try SedimentStore(
      path: LogBuilder.path, options: SedimentOptions(readOnly: true, access: access), disk: builder.disk,
      scheduler: ManualScheduler())
    defer { try? store.close() }
    #expect(try store.retrieve(forKey: "before") == [1, 2, 3])
    do {
      let found = try store.retrieve(forKey: "key")
      let copied = try store.withValue(forKey: "key") { copy($0) }
      #expect(same(found, copied ?? nil))
      return .success(found)
    } catch let error as SedimentError {
      #expect(code { try store.withValue(forKey: "key") { _ in } } == error.code)
      #expect(error.offset != nil)
      return .failure(error)
    }
  }

  private static func transform(
    _ byteCount: Int, dictionary: UInt32 = 0, compression: UInt8 = Transform.zstd
  ) -> Transform {
    Transform(compression: compression, dictionary: dictionary, originalByteCount: UInt32(byteCount))!
  }

  private static func failure(_ result: Result<[UInt8]?, SedimentError>) -> SedimentError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  @Test(arguments: accesses)
  func `A frame that is no longer or shorter than the record says is read`(
    access: SedimentOptions.Access
  ) throws {
    let frame = try Self.frame()
    let read = try Self.read(frame, Self.transform(Self.value.count), access: access)
    #expect(try same(read.get(), Self.value))
    for wrong in [0, 1, 2_999, 3_001, 6_000, 70_000, 1 << 20] {
      #expect(
        try Self.failure(Self.read(frame, Self.transform(wrong), access: access)) == .damaged, "\(wrong)")
    }
  }

  @Test func `Frames that are cut short, go on, or are none at all are errors`() throws {
    let frame = try Self.frame()
    let transform = Self.transform(Self.value.count)
    for count in stride(from: 0, to: frame.count, by: 37) {
      #expect(try Self.failure(Self.read(Array(frame[..<count]), transform)) == .damaged, "\(count)")
    }
    #expect(try Self.failure(Self.read(frame + [0], transform)) == .damaged)
    #expect(try Self.failure(Self.read(frame + frame, transform)) == .damaged)
    for count in [1, 10, 1_000] {
      #expect(try Self.failure(Self.read(pattern(count, count), transform)) == .damaged, "\(count)")
    }
    // With the magic number that frames have elsewhere.
    #expect(try Self.failure(Self.read([0x28, 0xb5, 0x2f, 0xfd] + frame, transform)) == .damaged)
  }

  @Test func `A turned bit gives an error or as many bytes as there should be`() throws {
    let frame = try Self.frame()
    for place in stride(from: 0, to: frame.count * 8, by: TestEffort.of(53, long: 1)) {
      var turned = frame
      turned[place / 8] ^= 1 << (place % 8)
      switch try Self.read(turned, Self.transform(Self.value.count)) {
      case .success(let value): #expect(value?.count == Self.value.count)
      case .failure(let error): #expect(error.code == .damaged)
      }
    }
  }

  @Test func `Dictionaries that are not there and ways that are not known are told`() throws {
    let frame = try Self.frame()
    let unknown = try Self.read(frame, Self.transform(Self.value.count, dictionary: 7))
    #expect(Self.failure(unknown) == .damaged)
    if case .failure(let error) = unknown { #expect(error.message.contains("Dictionary 7")) }
    let far = Self.transform(Self.value.count, dictionary: Limits.dictionaryNumberMax)
    #expect(try Self.failure(Self.read(frame, far)) == .damaged)
    #expect(try Self.failure(Self.read(frame, Self.transform(3_000, compression: 2))) == .newer)
    #expect(try Self.failure(Self.read(frame, Self.transform(3_000, compression: 0x11))) == .newer)
    #expect(try Self.failure(Self.read(frame, Self.transform(3_000, compression: 0x10))) == .newer)
  }

  @Test func `A record that claims much more than its frame can hold costs no memory`() throws {
    let frame = try Self.frame()
    let before = Measures.heapByteCount ?? 0
    for byteCount in [Limits.valueByteCountMax, 1 << 29] {
      #expect(try Self.failure(Self.read(Array(frame[..<40]), Self.transform(byteCount))) == .damaged)
    }
    #expect((Measures.heapByteCount ?? 0) - before < 100 << 20)
  }
}

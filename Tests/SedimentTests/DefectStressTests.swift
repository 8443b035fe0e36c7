import Sediment
import SedimentDisk
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Threads that do everything at once; values say which key they belong to.
@Suite(.serialized) struct DefectStressTests {
  static func value(_ key: Int, _ size: Int, _ mark: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: mark, count: size)
    bytes[0] = UInt8(truncatingIfNeeded: key)
    bytes[1] = UInt8(truncatingIfNeeded: key >> 8)
    return bytes
  }

  static func isSound(_ key: Int, _ value: RawSpan) -> Bool {
    unsafe value.withUnsafeBytes { bytes in
      guard bytes.count >= 2, unsafe bytes[0] == UInt8(truncatingIfNeeded: key),
        unsafe bytes[1] == UInt8(truncatingIfNeeded: key >> 8)
      else { return false }
      if bytes.count == 2 { return true }
      let mark = unsafe bytes[2]
      return unsafe bytes.dropFirst(2).allSatisfy { $0 == mark }
    }
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .unmapped])
  func `Everything at once`(access: SedimentOptions.Access) throws {
    let path = "/tmp/sediment-stress-\(getpid())-\(access).sediment"
    try? SedimentStore.destroy(path: path)
    defer { try? SedimentStore.destroy(path: path) }
    for round in 0..<CrashEffort.of(2, long: 6) {
      let store = try SedimentStore(
        path: path, options: SedimentOptions(durability: .interval(.milliseconds(2)), access: access))
      try store.set(Self.value(70_000, 40, 1), forKey: "stays")
      let wrong = Atomic<Int>(0)
      let nils = Atomic<Int>(0)
      let errors = Mutex<[String]>([])
      let stop = Atomic<Bool>(false)
      @Sendable func attempt(_ body: () throws -> Void) {
        do { try body() } catch let error as SedimentError {
          if error.code != .closed && error.code != .collectionDropped {
            errors.withLock { $0.append("\(error)") }
          }
        } catch { errors.withLock { $0.append("\(error)") } }
      }
      var threads: [TestThread] = []
      for reader in 0..<4 {
        threads.append(
          TestThread {
            var buffer: [UInt8] = []
            var number = reader
            while !stop.load(ordering: .relaxed) {
              number = (number &* 1_103_515_245 &+ 12_345) & 0xfffffff
              let key = number % 400
              attempt {
                switch number % 7 {
                case 0:
                  let isGood = try store.withValue(forKey: "\(key)") { Self.isSound(key, $0) }
                  if isGood == false { wrong.add(1, ordering: .relaxed) }
                case 1:
                  if try store.retrieve(forKey: "\(key)", into: &buffer),
                    unsafe !Self.isSound(key, buffer.span.bytes)
                  {
                    wrong.add(1, ordering: .relaxed)
                  }
                case 2:
                  let keys = (0..<20).map { (key + $0) % 400 }
                  try store.withValues(forKeys: keys.map { "\($0)" }) { place, value in
                    if let value, !Self.isSound(keys[place], value) { wrong.add(1, ordering: .relaxed) }
                  }
                case 3 where number % 50 == 3:
                  try store.forEach { key, value in
                    let name = String(sedimentBytes: key)!
                    let number = Int(name) ?? 70_000
                    if !Self.isSound(number, value) { wrong.add(1, ordering: .relaxed) }
                    return .continue
                  }
                default:
                  if try store.retrieve(forKey: "stays") == nil, !stop.load(ordering: .relaxed) {
                    nils.add(1, ordering: .relaxed)
                  }
                }
              }
            }
          })
      }
      for writer in 0..<2 {
        threads.append(
          TestThread {
            var number = writer + 77
            while !stop.load(ordering: .relaxed) {
              number = (number &* 1_103_515_245 &+ 12_345) & 0xfffffff
              let key = (number >> 4) % 400
              let size = number % 300 == 0 ? 200_000 : 2 + number % 300
              let mark = UInt8(truncatingIfNeeded: number >> 3)
              attempt {
                switch (number >> 13) % 10 {
                case 0..<3: try store.set(Self.value(key, size, mark), forKey: "\(key)")
                case 3: try store.remove(forKey: "\(key)")
                case 4:
                  try store.batch { batch in
                    batch.remove(forKey: "stays")
                    batch.set(Self.value(key, size, mark), forKey: "\(key)")
                    batch.set(Self.value(70_000, 40, mark), forKey: "stays")
                  }
                case 5:
                  try store.setIfAbsent(Self.value(key, size, mark), forKey: "\(key)", durability: .synced)
                case 6:
                  try store.update(forKey: "\(key)") { _ in Self.value(key, size, mark) }
                case 7:
                  let users = try store.collection("c\(number % 3)")
                  try users.set("x", forKey: "\(key)")
                  if number % 5 == 0 { try users.removeAll() }
                  if number % 7 == 0 { try store.dropCollection("c\(number % 3)") }
                case 8: try store.set(Self.value(key, size, mark), forKey: "\(key)", durability: .synced)
                default: _ = store.statistics
                }
              }
            }
          })
      }
      usleep(1_500_000)
      if round % 2 == 0 { stop.store(true, ordering: .relaxed) }
      try store.close()
      stop.store(true, ordering: .relaxed)
      for thread in threads { thread.join() }
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(nils.load(ordering: .relaxed) == 0)
      let first = errors.withLock { $0.first }
      #expect(first == nil)
    }
  }
}

internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import Vellum

/// Archives of songs in a file, and the same data as a plain store has it.
final class SongArchives {
  let songs: [Song]
  let data: [Data]
  /// In an order that is random to the file.
  let order: [Int]
  /// All songs are in the file, and in memory those of the one that has room for them.
  let archives: ArchiveManager<Song>
  let diskArchives: ArchiveManager<Song>
  let plain: SedimentStore
  private let stores: [SedimentStore]
  private let place: URL

  /// How many calls a sample has that is about single archives.
  var callCount: Int { Swift.min(order.count, 20_000) }

  init(count: Int, directory: String) throws {
    let place = URL(fileURLWithPath: directory).appendingPathComponent("archives")
    self.place = place
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    songs = (0..<count).map { Song($0) }
    data = try songs.map { try $0.archiveData() }
    var random = SplitMix64(seed: 77)
    order = (0..<count).shuffled(using: &random)
    let options = SedimentOptions(durability: .unsynced, compression: .off)
    stores = try ["memory", "disk", "plain"].map {
      try SedimentStore(url: place.appendingPathComponent($0), options: options)
    }
    archives = try ArchiveManager(
      maxMemorySize: 1.gigaBytes, maxDiskSize: 1.gigaBytes, in: ArchivesFactory(store: stores[0]))
    diskArchives = try ArchiveManager(
      maxMemorySize: .zero, maxDiskSize: 1.gigaBytes, in: ArchivesFactory(store: stores[1]))
    plain = stores[2]
    try fill()
  }

  deinit {
    for store in stores { try? store.close() }
    try? FileManager.default.removeItem(at: place)
  }

  private func fill() throws {
    for (song, data) in zip(songs, data) {
      try archives.throwing.record(song)
      try diskArchives.throwing.record(song)
      try plain.set(data, forKey: song.key)
    }
    for store in stores { try store.sync() }
  }

  /// Times something that is done with some songs, whose number it returns.
  func sample(_ row: String, of numbers: some Collection<Int>, _ isRight: (Int) throws -> Bool) throws
    -> Sample
  {
    var wrongCount = 0
    let stopwatch = Stopwatch()
    for number in numbers where try !isRight(number) { wrongCount += 1 }
    let nanoseconds = stopwatch.nanoseconds
    if wrongCount > 0 { throw WrongArchive(row) }
    return Sample(nanoseconds: nanoseconds, amount: numbers.count)
  }
}

/// Archives gave back something else than was recorded: then no figure means anything.
struct WrongArchive: Error, CustomStringConvertible {
  let description: String

  init(_ row: String) { description = "archives are wrong in the row \"\(row)\"" }
}

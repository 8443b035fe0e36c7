package import BenchmarkHarness
internal import Foundation
internal import Sediment
internal import Vellum

/// What typed archives cost beside the plain engine, and queries beside decoding alone.
package struct VellumBenchmarks {
  private let songs: SongArchives

  /// So many archives are recorded at once, below `directory`; they go when the last of the rows does.
  package init(archiveCount: Int, directory: String) throws {
    songs = try SongArchives(count: archiveCount, directory: directory)
  }

  /// The rows.
  package var section: Section {
    Section(
      [
        BenchmarkGroup(
          "\(songs.songs.count) archives of about 200 B, as JSON",
          [set, encode, record, retrieve, decode, accessMemory, accessDisk, decodeAll, query, first])
      ], comparisons)
  }

  private var comparisons: [Comparison] {
    [
      Comparison("recording", .of("archive-record"), limit: .of("archive-set"), "the engine's set"),
      Comparison("", .of("archive-record"), limit: .of("archive-encode"), "encoding alone"),
      Comparison(
        "accessing from memory", .of("archive-access-memory"), limit: .of("archive-retrieve"),
        "the engine's retrieve"),
      Comparison(
        "accessing from the disk", .of("archive-access-disk"), limit: .of("archive-retrieve"),
        "the engine's retrieve"),
      Comparison("", .of("archive-access-disk"), limit: .of("archive-decode"), "decoding alone"),
      Comparison(
        "a query of all, the best ten of half", .of("archive-query"), limit: .of("archive-decode-all"),
        "decoding them", target: .atMost(1.5)),
    ]
  }

  // MARK: Single archives

  private var set: Benchmark {
    row("set", "bare: the engine's set", "data of the same size, again", isLimit: true) { songs in
      try songs.sample("set", of: songs.order.prefix(songs.callCount)) { number in
        try songs.plain.set(songs.data[number], forKey: songs.songs[number].key)
        return true
      }
    }
  }

  private var encode: Benchmark {
    row("encode", "bare: encode", "its archiveData()", isLimit: true) { songs in
      try songs.sample("encode", of: songs.order.prefix(songs.callCount)) { number in
        try !songs.songs[number].archiveData().isEmpty
      }
    }
  }

  private var record: Benchmark {
    row("record", "record", "in place of the same one") { songs in
      try songs.sample("record", of: songs.order.prefix(songs.callCount)) { number in
        try songs.archives.throwing.record(songs.songs[number])
        return true
      }
    }
  }

  private var retrieve: Benchmark {
    row("retrieve", "bare: the engine's retrieve", "as Data", isLimit: true) { songs in
      try songs.sample("retrieve", of: songs.order.prefix(songs.callCount)) { number in
        try songs.plain.retrieve(forKey: songs.songs[number].key, as: Data.self)?.count
          == songs.data[number].count
      }
    }
  }

  private var decode: Benchmark {
    row("decode", "bare: decode", "its decode(archive:)", isLimit: true) { songs in
      try songs.sample("decode", of: songs.order.prefix(songs.callCount)) { number in
        try Song.decode(codableArchive: songs.data[number]).rating == songs.songs[number].rating
      }
    }
  }

  private var accessMemory: Benchmark {
    row("access-memory", "access from memory", "archives that were recorded") { songs in
      try songs.sample("access-memory", of: songs.order.prefix(songs.callCount)) { number in
        songs.archives.access(archiveWithKey: songs.songs[number].key)?.rating == songs.songs[number].rating
      }
    }
  }

  private var accessDisk: Benchmark {
    row("access-disk", "access from the disk", "archives that memory has no room for") { songs in
      try songs.sample("access-disk", of: songs.order.prefix(songs.callCount)) { number in
        songs.diskArchives.access(archiveWithKey: songs.songs[number].key)?.rating
          == songs.songs[number].rating
      }
    }
  }

  // MARK: All archives

  private var decodeAll: Benchmark {
    row("decode-all", "bare: decode all", "one after the other, from data in memory", isLimit: true) {
      songs in
      try songs.sample("decode-all", of: songs.songs.indices) { number in
        try Song.decode(codableArchive: songs.data[number]).rating == songs.songs[number].rating
      }
    }
  }

  private var query: Benchmark {
    row("query", "query", "filtered and sorted with a limit of ten, none of them in memory") { songs in
      let expected = songs.songs.filter { $0.rating < 500 }
        .sorted { ($1.rating, $0.artist) < ($0.rating, $1.artist) }.prefix(10).map(\.rating)
      let stopwatch = Stopwatch()
      let found = try songs.diskArchives.findWhere { $0.rating(.less(than: 500)) }
        .sorted { $0.rating(.descending).artist(.ascending) }
        .limitResults(by: 10).results()
      let nanoseconds = stopwatch.nanoseconds
      if found.map(\.rating) != expected { throw WrongArchive("query") }
      return Sample(nanoseconds: nanoseconds, amount: songs.songs.count)
    }
  }

  private var first: Benchmark {
    row("first", "the first found of all", "an unsorted find, which stops there") { songs in
      try songs.sample("first", of: 0..<1_000) { _ in
        try songs.diskArchives.findWhere { $0.rating(.less(than: 2_000)) }.first()?.key == "song-0"
      }
    }
  }

  private func row(
    _ identifier: String, _ name: String, _ meaning: String, isLimit: Bool = false,
    _ run: @escaping (SongArchives) throws -> Sample
  ) -> Benchmark {
    let songs = songs
    return Benchmark(
      "archive-" + identifier, name: name, meaning: meaning,
      method: "Timed over all calls of a round; an archive of a query counts as one.", isLimit: isLimit
    ) { try run(songs) }
  }
}

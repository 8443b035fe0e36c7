internal import SedimentDisk

/// A component that is built on the reader, and finds there what all components share.
protocol AboveReader: ~Copyable {
  var reader: Reader { get }
}

extension AboveReader where Self: ~Copyable {
  @inline(__always) var path: String { reader.path }
  @inline(__always) var options: SedimentOptions { reader.options }
  @inline(__always) var disk: any Disk { reader.disk }
  @inline(__always) var volume: Volume { reader.volume }
  @inline(__always) var index: HashIndex { reader.index }
  @inline(__always) var slots: SlotTable { reader.slots }
  @inline(__always) var domain: ReaderDomain { reader.domain }
  @inline(__always) var retired: RetiredList { reader.retired }
  @inline(__always) var collections: CollectionTable { reader.collections }
  @inline(__always) var dictionaries: DictionaryTable { reader.dictionaries }
  @inline(__always) var lifetime: Lifetime { reader.lifetime }
  @inline(__always) var background: Background { reader.background }
  @inline(__always) var evicts: Bool { reader.evicts }
}

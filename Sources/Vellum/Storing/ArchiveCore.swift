internal import Foundation

/// The archives of one type: both parts, with what turns objects into data and back.
final class ArchiveCore<Archive: Archivable>: ArchiveParts, @unchecked Sendable {
  // Sendable: as its parts are; the instances are touched with the lock taken.

  /// Whether all who access an archive get one instance.
  let sharesInstances: Bool
  private var instances = SharedInstances()

  /// Whether all who access an archive get a copy of their own.
  private let copies: Bool

  init(
    _ name: String, _ sizes: ArchiveSizes, identity: ArchiveIdentity, in place: ArchivePlace,
    observer: FailureObserver
  ) throws {
    let hasIdentity = Archive.self is AnyClass
    sharesInstances = hasIdentity && identity == .shared
    copies = hasIdentity && identity == .copied
    try super.init(name, sizes, in: place, observer: observer)
  }

  /// Records an object, unless that is to be done only where there is none with its key, and there is one.
  ///
  /// The closure is called before, with nothing that could be wrong with the object itself any more.
  func record(_ object: Archive, onlyIfAbsent: Bool = false, after prepare: () -> Void) throws {
    let key = object.primaryKey
    let data = try encode(object)
    let kept = kept(instance(ofRecorded: object, key), key, data)
    try withLock { try shelf.checkSize(data, mayBeElsewhere: fits(kept)) }
    prepare()
    try record(key, data, kept, onlyIfAbsent: onlyIfAbsent)
  }

  /// The archive of a key, from memory or else from the disk; that is a use of it.
  func access(_ key: String) throws -> Archive? {
    while true {
      switch look(key) {
      case .nowhere: return nil
      case .memory(let kept): return try archive(kept)
      case .disk(let storedKey, let tick):
        if let (head, data) = try shelf.read(storedKey) {
          let archive = try decode(data, key, head)
          use(key, head, kept(archive, key, data))
          return archive
        }
        if forget(key, tick) { return nil }
      }
    }
  }

  // MARK: Instances

  /// What is to be kept of an object that is recorded: of one that all share a copy, unless they share it already.
  private func instance(ofRecorded object: Archive, _ key: String) -> Archive {
    guard sharesInstances else { return object }
    let known = withLock { instances[key]?.object }
    return known === object as AnyObject ? object : object.tryCopy()
  }

  override func noteRecorded(_ kept: KeptArchive, _ key: String) {
    guard sharesInstances, let kept = kept as? KeptValue<Archive>, let tick = recordedTick(key) else {
      return
    }
    instances[key] = (kept.archive as AnyObject, tick)
  }

  /// Which version of an archive is there now, with the lock; nil for none.
  private func recordedTick(_ key: String) -> UInt64? {
    shelf.ledger.slot(of: key).map { shelf.ledger[$0].recordedTick }
  }

  /// The archive that data decodes to which was stored with a head, or the instance of it that somebody has.
  func decode(_ data: Data, _ key: String, _ head: ArchiveHead) throws -> Archive {
    let archive = try decode(data)
    guard sharesInstances else { return archive }
    return withLock {
      // What was recorded, or deleted, since has another instance, or none.
      guard let tick = recordedTick(key) else { return archive }
      if let known = instances[key], known.tick == tick, let known = known.object as? Archive { return known }
      if tick == head.tick { instances[key] = (archive as AnyObject, tick) }
      return archive
    }
  }

  // MARK: Data

  /// What is kept of an object in memory: an object that copies itself may have state that its data has not.
  private func kept(_ object: Archive, _ key: String, _ data: Data) -> KeptArchive {
    let byteCount = object.sizeInMemory(key: key, dataByteCount: data.count)
    if !copies { return KeptValue(object, byteCount: byteCount) }
    if object is any NSCopying { return KeptValue(object.tryCopy(), byteCount: byteCount) }
    return KeptData(data, byteCount: byteCount)
  }

  /// An archive of what is kept in memory.
  func archive(_ kept: KeptArchive) throws -> Archive {
    if copies, let kept = kept as? KeptData { return try decode(kept.data) }
    // A part keeps either data or values of its type, and nothing else.
    let archive = unsafe unsafeDowncast(kept, to: KeptValue<Archive>.self).archive
    return copies ? archive.tryCopy() : archive
  }

  private func encode(_ object: Archive) throws -> Data {
    do {
      return try object.archiveData()
    } catch {
      throw (error as? VellumError) ?? VellumError.notEncodable(name, error)
    }
  }

  func decode(_ data: Data) throws -> Archive {
    let decoded: any Archivable
    do {
      decoded = try Archive.decode(archive: data)
    } catch {
      throw (error as? VellumError) ?? VellumError.notDecodable(name, error)
    }
    guard let archive = decoded as? Archive else {
      throw VellumError.anotherType(name, found: type(of: decoded))
    }
    return archive
  }
}

/// Ends what archives do in the background once no manager has them.
///
/// Managers hold it beside the core. It is what others refer to weakly: that makes each count of references slow, and
/// nothing counts those to this one.
final class CoreOwner: Sendable {
  let core: ArchiveParts

  init(_ core: ArchiveParts) {
    self.core = core
  }

  deinit {
    core.shelf.finish()
  }
}

internal import Foundation

/// The archives of one type: both parts, with what turns objects into data and back.
final class ArchiveCore<Archive: Archivable>: ArchiveParts, @unchecked Sendable {
  // Sendable: as its parts are; the instances are touched with the lock taken.

  /// Whether all who access an archive get one instance.
  let sharesInstances: Bool
  private var instances = SharedInstances()

  init(
    _ name: String, maxMemorySize: DataSize, maxDiskSize: DataSize, identity: ArchiveIdentity,
    in place: ArchivePlace, observer: FailureObserver
  ) throws {
    let hasIdentity = Archive.self is AnyClass
    sharesInstances = hasIdentity && identity == .shared
    try super.init(
      name, maxMemorySize: maxMemorySize, maxDiskSize: maxDiskSize,
      keepsData: hasIdentity && identity == .copied, in: place, observer: observer)
  }

  /// Records an object; false if that is to be done only where there is none with its key, and there is one.
  @discardableResult
  func record(_ object: Archive, onlyIfAbsent: Bool = false) throws -> Bool {
    let key = object.primaryKey
    let data = try encode(object)
    let kept = kept(instance(ofRecorded: object, key), key, data)
    return try record(key, data, kept, onlyIfAbsent: onlyIfAbsent)
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
    let known = withLock { instances[key] }
    return known === object as AnyObject ? object : object.tryCopy()
  }

  override func noteRecorded(_ kept: KeptArchive, _ key: String) {
    guard sharesInstances, let kept = kept as? KeptValue<Archive> else { return }
    instances[key] = kept.archive as AnyObject
  }

  /// The archive that data decodes to which was stored with a head, or the instance of it that somebody has.
  func decode(_ data: Data, _ key: String, _ head: ArchiveHead) throws -> Archive {
    let archive = try decode(data)
    guard sharesInstances else { return archive }
    return withLock {
      if let known = instances[key] as? Archive { return known }
      // What was recorded since has another instance, or none.
      if let slot = shelf.ledger.slot(of: key), shelf.ledger[slot].recordedTick == head.tick {
        instances[key] = archive as AnyObject
      }
      return archive
    }
  }

  // MARK: Data

  /// What is kept of an object in memory.
  private func kept(_ object: Archive, _ key: String, _ data: Data) -> KeptArchive {
    let byteCount = object.sizeInMemory(key: key, dataByteCount: data.count)
    return keepsData ? KeptData(data, byteCount: byteCount) : KeptValue(object, byteCount: byteCount)
  }

  /// An archive of what is kept in memory.
  func archive(_ kept: KeptArchive) throws -> Archive {
    if keepsData, let kept = kept as? KeptData { return try decode(kept.data) }
    // A part keeps either data or values of its type, and nothing else.
    return unsafe unsafeDowncast(kept, to: KeptValue<Archive>.self).archive
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

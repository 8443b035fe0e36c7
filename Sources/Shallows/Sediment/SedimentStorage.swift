public import Foundation
public import Sediment

#if !Foundation
  #error("Shallows and Vellum need the trait Foundation of the package Sediment, which is on by default.")
#endif

/// Data under names in a store of the engine, or in one of its collections: all in one file, nothing lost that was
/// acknowledged.
///
/// Retrieving completes on the caller's thread before it returns; so does setting, unless it has to wait for the disk
/// because a change is to be synced. A file that is named by its URL is opened on another thread, and the calls that come
/// before that is done complete there, in their order. A missing value is `isNoValue`; what else fails is a
/// `SedimentError`, that of opening the file included. It may be used from any thread.
public struct SedimentStorage: Sendable {
  /// The name, with that of the file.
  public var storageName: String { source.storageName }
  /// What a change survives once it is acknowledged; nil for what the store was opened with.
  public var durability: SedimentDurability?
  @usableFromInline let source: KeyspaceSource

  /// Creates a storage of all keys of a store, or of those of one of its collections, which is made where it is missing.
  ///
  /// Whoever opened the store closes it.
  public init(
    _ store: SedimentStore, collection: String? = nil, durability: SedimentDurability? = nil
  ) {
    let url = URL(fileURLWithPath: store.path)
    let file = url.deletingPathExtension().lastPathComponent
    self.durability = durability
    source = KeyspaceSource(
      storageName: Self.name(file, collection), .init(disk: store.disk, file: url, collection: collection),
      ofFile: false
    ) {
      guard let collection else { return (store.defaultCollection, nil) }
      return (try store.collection(collection), nil)
    }
  }

  /// Creates a storage of a file that is opened at the first call, shared by all who name it in this process, and closed
  /// when the last of them has gone.
  ///
  /// The durability may be another one for each of them; where another option differs from those that the file is open
  /// with, every call fails. If the file is removed meanwhile, calls fail after the next sync, or as soon as somebody names
  /// it anew, who gets a new one. If its disk fails, no change is taken any more, and reading goes on until somebody names
  /// it anew, for whom it is closed and opened again.
  public init(
    url: URL, collection: String? = nil, options: SedimentOptions = SedimentOptions(),
    durability: SedimentDurability? = nil
  ) {
    let file = url.deletingPathExtension().lastPathComponent
    self.durability = durability ?? options.durability
    source = KeyspaceSource(
      storageName: Self.name(file, collection), .init(file: url, collection: collection), ofFile: true
    ) {
      let shared = try SharedStore.open(url, options)
      guard let collection else { return (shared.store.defaultCollection, shared) }
      return (try shared.store.collection(collection), shared)
    }
  }

  /// A storage whose calls all fail.
  fileprivate init(storageName: String, failingWith error: SedimentError) {
    source = KeyspaceSource(storageName: storageName, nil, ofFile: false) { throw error }
  }

  private static func name(_ file: String, _ collection: String?) -> String {
    "sediment-" + [file, collection].compactMap(\.self).joined(separator: "/")
  }

  /// Files in the folders that the system has for them; see `SedimentFolders.folder(_:in:domainMask:options:)`.
  public static let main = SedimentFolders()

  /// The same storage whose changes survive what is said.
  public func durability(_ durability: SedimentDurability) -> SedimentStorage {
    var copy = self
    copy.durability = durability
    return copy
  }

  /// The collection that has the data, for what the engine can do and a storage cannot; opens the file if it is not open.
  ///
  /// A file that was named by its URL is closed with the last storage that names it, whoever still has the collection.
  public func keyspace() throws -> SedimentCollection {
    try source.keyspace ?? source.opening { .value($0) }.wait()
  }
}

extension SedimentStorage: Rooted {
  private final class Files: Sendable {}
  private static let files = Files()

  // A file is known by its path, since its store is not before it is opened, and by its disk if that is an object, as
  // simulated ones are: a path of theirs says nothing on another one.
  @usableFromInline var root: StorageRoot? {
    source.place.map { place in
      var root = place.disk.flatMap(StorageRoot.of) ?? StorageRoot(storage: Self.files)
      root.name = "\(place.file.withoutLinks.path)\0\(place.collection ?? "")"
      return root
    }
  }
}

/// Where files of the engine lie for those who name folders.
public struct SedimentFolders: Sendable {
  init() {}

  /// The storage of one file, `folderName.sediment`, in a directory of the user's or the system's.
  ///
  /// It is opened at the first call, and shared: whoever names the same folder in this process gets the same file, and
  /// has to name it with the same options but for the durability. It is closed when the last of them has gone. Names whose folders were different
  /// ones have different files; an empty name, and one with a NUL character, have none, and every call fails.
  public func folder(
    _ folderName: String, in directory: FileManager.SearchPathDirectory,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask,
    options: SedimentOptions = SedimentOptions()
  ) -> SedimentStorage {
    let folder = DiskFolderStorage.url(forFolder: folderName, in: directory, domainMask: domainMask)
    guard folderName.utf8.contains(where: { $0 != UInt8(ascii: "/") }), !folderName.utf8.contains(0) else {
      return SedimentStorage(
        storageName: "sediment-\(folderName)",
        failingWith: SedimentError(
          .invalidArgument, path: folder.path,
          message:
            "A folder without a name, or with a NUL character in it, has no file; give it another name."))
    }
    return SedimentStorage(url: folder.appendingPathExtension("sediment"), options: options)
  }
}

import Foundation
import Shallows

enum DiskDeclarations {
  typealias Retrieving<Key> = (Key, @escaping (ShallowsResult<Data>) -> Void) -> Void
  typealias Setting<Key> = (Data, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void
  typealias Directory = FileManager.SearchPathDirectory
  typealias Domain = FileManager.SearchPathDomainMask

  static func disk(_ storage: DiskStorage) {
    let make: (Bool) -> DiskStorage = DiskStorage.init(creatingDirectories:)
    let name: String = storage.storageName
    let retrieve: Retrieving<URL> = storage.retrieve(forKey:completion:)
    let set: Setting<URL> = storage.set(_:forKey:completion:)
    let directory: (URL) -> URL = DiskStorage.directoryURL(of:)
    let main: DiskStorage = .main
    _ = (make, DiskStorage(), name, retrieve, set, directory, main)
    _ = storage as any StorageProtocol
    let errors: [DiskStorage.Error] = [.cantCreateFile, .cantCreateDirectory(CocoaError(.fileNoSuchFile))]
    for case .cantCreateDirectory(let error) in errors { _ = error as any Error }
    _ = errors[0] as any Error
  }

  static func folders(_ disk: DiskStorage) {
    let shared: (String, Directory, Domain, Filename.Encoder) -> DiskFolderStorage = DiskStorage.folder(
      _:in:domainMask:filenameEncoder:)
    let own: (String, Directory, Domain, Filename.Encoder) -> DiskFolderStorage = disk.folder(
      _:in:domainMask:filenameEncoder:)
    let url: (String, Directory, Domain) -> URL = DiskFolderStorage.url(forFolder:in:domainMask:)
    let inDirectory: (Directory, String, Domain, Storage<URL, Data>, Filename.Encoder) -> DiskFolderStorage =
      DiskFolderStorage.inDirectory(_:folderName:domainMask:diskStorage:filenameEncoder:)
    _ = (shared, own, url, inDirectory)
    _ = DiskStorage.folder("a", in: .cachesDirectory) as DiskFolderStorage
    _ = DiskStorage.main.folder("a", in: .cachesDirectory, filenameEncoder: .base64URL) as DiskFolderStorage
    _ = DiskStorage.main.folder("a", in: .cachesDirectory, domainMask: .userDomainMask) as DiskFolderStorage
    _ = DiskFolderStorage.url(forFolder: "a", in: .cachesDirectory) as URL
    _ =
      DiskFolderStorage.inDirectory(
        .cachesDirectory, folderName: "a", diskStorage: disk.asStorage(), filenameEncoder: .noEncoding)
      as DiskFolderStorage
  }

  static func folder(_ storage: DiskFolderStorage) {
    let make: (URL, Storage<URL, Data>, Filename.Encoder) -> DiskFolderStorage = DiskFolderStorage.init(
      folderURL:diskStorage:filenameEncoder:)
    _ = DiskFolderStorage(folderURL: storage.folderURL)
    _ = DiskFolderStorage(folderURL: storage.folderURL, filenameEncoder: .base64URL)
    _ = DiskFolderStorage(folderURL: storage.folderURL, diskStorage: DiskStorage.main.asStorage())
    let (name, url, encoder): (String, URL, Filename.Encoder) = (
      storage.storageName, storage.folderURL, storage.filenameEncoder
    )
    let clears: ReferenceWritableKeyPath<DiskFolderStorage, Bool> = \.clearsOnDeinit
    let clear: () -> Void = storage.clear
    let file: (Filename) -> URL = storage.fileURL(forFilename:)
    let retrieve: Retrieving<Filename> = storage.retrieve(forKey:completion:)
    let set: Setting<Filename> = storage.set(_:forKey:completion:)
    _ = (make, name, url, encoder, clears, clear, file, retrieve, set)
    _ = storage as any StorageProtocol
  }

  static func stringKeys(_ folder: DiskFolderStorage) {
    let full: () -> Storage<String, Data> = folder.usingStringKeys
    let reading: () -> ReadOnlyStorage<String, Data> = folder.asReadOnlyStorage().usingStringKeys
    let writing: () -> WriteOnlyStorage<String, Data> = folder.asWriteOnlyStorage().usingStringKeys
    _ = (full, reading, writing)
  }

  static func filenames(_ filename: Filename) {
    let make: (String) -> Filename = Filename.init(rawValue:)
    let literals: [(String) -> Filename] = [
      Filename.init(stringLiteral:), Filename.init(unicodeScalarLiteral:),
      Filename.init(extendedGraphemeClusterLiteral:),
    ]
    let rawValue: WritableKeyPath<Filename, String> = \.rawValue
    let encodings: [() -> String] = [filename.base64Encoded, filename.base64URLEncoded]
    let encoders: [Filename.Encoder] = [.base64URL, .noEncoding, .custom { $0.rawValue }]
    let custom: (@escaping (Filename) -> String) -> Filename.Encoder = Filename.Encoder.custom(_:)
    let encoded: (Filename) -> String = encoders[0].encodedString(representing:)
    _ = (make, literals, rawValue, encodings, custom, encoded)
    let literal: Filename = "a"
    let character: Filename = "\u{E9}"
    let raw: any RawRepresentable = literal
    _ = (Set([literal, character]), raw)
  }
}

// What is deprecated, where a use is no warning.
@available(*, deprecated)
enum DeprecatedDiskDeclarations {
  static func all() {
    let encoder: Filename.Encoder = .base64
    let inDirectory:
      (FileManager.SearchPathDirectory, String, FileManager.SearchPathDomainMask) -> FileSystemStorage =
        FileSystemStorage.inDirectory(_:appending:domainMask:)
    let storage = FileSystemStorage.inDirectory(.cachesDirectory, appending: "a")
    let retrieve: DiskDeclarations.Retrieving<Filename> = storage.retrieve(forKey:completion:)
    let set: DiskDeclarations.Setting<Filename> = storage.set(_:forKey:completion:)
    let named: Storage<String, Data> = storage.usingStringKeys()
    _ = (encoder, inDirectory, retrieve, set, named, storage as any StorageProtocol)
  }
}

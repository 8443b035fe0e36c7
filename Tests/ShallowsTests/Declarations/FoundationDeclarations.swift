import Foundation
import Shallows

enum FoundationDeclarations {
  static func cache(_ storage: NSCacheStorage<NSString, NSData>) {
    let make: (NSCache<NSString, NSData>) -> NSCacheStorage<NSString, NSData> = NSCacheStorage.init(storage:)
    let cache: NSCache<NSString, NSData> = storage.cache
    let name: String = storage.storageName
    let retrieve: (NSString, @escaping (ShallowsResult<NSData>) -> Void) -> Void = storage.retrieve(
      forKey:completion:)
    let set: (NSData, NSString, @escaping (ShallowsResult<Void>) -> Void) -> Void = storage.set(
      _:forKey:completion:)
    _ = (make, NSCacheStorage<NSString, NSData>(), cache, name, retrieve, set)
    let error: (NSString) -> NSCacheStorage<NSString, NSData>.Error = NSCacheStorage.Error.noValue
    switch error("a") {
    case .noValue(let key): _ = key as NSString
    }
    _ = (storage as any StorageProtocol, error("a") as any Error)
  }

  static func keys(
    _ names: Storage<NSString, Int>, _ places: Storage<NSURL, Int>, _ paths: Storage<NSIndexPath, Int>
  ) {
    let ofNames: () -> Storage<String, Int> = names.toNonObjCKeys
    let ofPlaces: () -> Storage<URL, Int> = places.toNonObjCKeys
    let ofPaths: () -> Storage<IndexPath, Int> = paths.toNonObjCKeys
    _ = (ofNames, ofPlaces, ofPaths)
    let readNames: () -> ReadOnlyStorage<String, Int> = names.asReadOnlyStorage().toNonObjCKeys
    let readPlaces: () -> ReadOnlyStorage<URL, Int> = places.asReadOnlyStorage().toNonObjCKeys
    let readPaths: () -> ReadOnlyStorage<IndexPath, Int> = paths.asReadOnlyStorage().toNonObjCKeys
    let writtenNames: () -> WriteOnlyStorage<String, Int> = names.asWriteOnlyStorage().toNonObjCKeys
    _ = (readNames, readPlaces, readPaths, writtenNames)
  }

  static func values(
    _ texts: Storage<Int, NSString>, _ places: Storage<Int, NSURL>, _ paths: Storage<Int, NSIndexPath>
  ) {
    let ofTexts: () -> Storage<Int, String> = texts.toNonObjCValues
    let ofPlaces: () -> Storage<Int, URL> = places.toNonObjCValues
    let ofPaths: () -> Storage<Int, IndexPath> = paths.toNonObjCValues
    _ = (ofTexts, ofPlaces, ofPaths)
    let readTexts: () -> ReadOnlyStorage<Int, String> = texts.asReadOnlyStorage().toNonObjCValues
    let readPlaces: () -> ReadOnlyStorage<Int, URL> = places.asReadOnlyStorage().toNonObjCValues
    let readPaths: () -> ReadOnlyStorage<Int, IndexPath> = paths.asReadOnlyStorage().toNonObjCValues
    let writtenTexts: () -> WriteOnlyStorage<Int, String> = texts.asWriteOnlyStorage().toNonObjCValues
    _ = (readTexts, readPlaces, readPaths, writtenTexts)
  }

  static func moreValues(_ data: Storage<Int, NSData>, _ dates: Storage<Int, NSDate>) {
    let ofData: () -> Storage<Int, Data> = data.toNonObjCValues
    let ofDates: () -> Storage<Int, Date> = dates.toNonObjCValues
    let readData: () -> ReadOnlyStorage<Int, Data> = data.asReadOnlyStorage().toNonObjCValues
    let readDates: () -> ReadOnlyStorage<Int, Date> = dates.asReadOnlyStorage().toNonObjCValues
    _ = (ofData, ofDates, readData, readDates)
  }

  static func threadSafe() {
    let make: (Int) -> ThreadSafe<Int> = ThreadSafe.init(_:)
    var number = make(1)
    let read: () -> Int = number.read
    number.write { $0 += 1 }
    number.write(with: { $0 += 1 })
    number.write(5)
    _ = read
  }
}

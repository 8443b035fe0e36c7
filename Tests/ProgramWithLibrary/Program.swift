import OtherLibrary
import Shallows

/// Asks a storage as published programs do, and tells what it was told, and whose properties it used.
public func askWithLibrary() -> (told: [String], called: [String]) {
  let storage = MemoryStorage<String, Int>(storage: ["some-key": 10])
  var told: [String] = []
  storage.retrieve(forKey: "some-key") { (result) in
    if let value = result.value { told.append("\(value)") }
    if result.isSuccess { told.append("Success!") }
  }
  storage.retrieve(forKey: "another-key") { (result) in
    if result.isFailure, let error = result.error { told.append("\(error is MemoryStorageError)") }
    let values = [result].compactMap(\.value) + [result].compactMap { $0.value }
    told.append("\(values)")
  }
  return (told, calledProperties)
}

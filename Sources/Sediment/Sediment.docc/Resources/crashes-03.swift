import Sediment

func keep(_ text: String, forKey key: String, in store: SedimentStore) throws {
  do {
    try store.set(text, forKey: key, durability: .synced)
  } catch let error as SedimentError {
    switch error.code {
    case .outOfSpace: print("There is no room; remove something and try again.")
    case .outcomeUnknown: print("The disk failed; open the store again and look.")
    default: throw error
    }
  }
}

let store = try SedimentStore(path: "notes.sediment")

try keep("Buy bread", forKey: "note:1", in: store)

try store.close()

import Sediment

let store = try SedimentStore(path: "notes.sediment")

try store.update(forKey: "starts") { old in
  let count = old.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
  return Array("\(count + 1)".utf8)
}
print(try store.retrieve(forKey: "starts", as: String.self) ?? "")

try store.close()

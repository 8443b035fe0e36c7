import Sediment

let store = try SedimentStore(path: "notes.sediment")

try store.update(forKey: "starts") { old in
  let count = old.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
  return Array("\(count + 1)".utf8)
}
print(try store.retrieve(forKey: "starts", as: String.self) ?? "")

let isFirst = try store.setIfAbsent("Welcome", forKey: "note:1")
print(isFirst ? "a new store" : "a store that was here before")

try store.close()

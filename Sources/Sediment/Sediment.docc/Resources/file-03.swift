import Sediment

let options = SedimentOptions(capacity: .evicting(maxBytes: 1 << 20))
let cache = try SedimentStore(path: "cache.sediment", options: options)
let picture = [UInt8](repeating: 7, count: 2_000)
for number in 1...2_000 {
  try cache.set(picture, forKey: "picture:\(number)", expiresIn: .seconds(3600))
}
print(cache.statistics.fileByteCount <= 1 << 20)

try cache.close()

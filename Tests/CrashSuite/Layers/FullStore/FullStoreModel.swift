/// What a store should hold: each key's value, and the keys in ascending order.
struct FullStoreModel {
  private(set) var values: [Int: Int] = [:]
  private(set) var keys: [Int] = []

  var count: Int { keys.count }

  subscript(key: Int) -> Int? {
    get { values[key] }
    set {
      let place = place(of: key)
      let isThere = place < keys.count && keys[place] == key
      if newValue == nil, isThere { keys.remove(at: place) }
      if newValue != nil, !isThere { keys.insert(key, at: place) }
      values[key] = newValue
    }
  }

  /// Where a key stands, or would stand.
  private func place(of key: Int) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A line of JSON for each entry: `{"collection":"users","key":"1","value":"Ada","expires":1896091200000}`.
///
/// Bytes that are no UTF-8 are Base64 under `keyBase64` and `valueBase64`. Members that say nothing are left out.
struct JSONLinesWriter: ExchangeWriter {
  let head: [UInt8] = []

  func append(_ entry: ExchangeEntry, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    if let collection = entry.collection {
      append("collection", to: &bytes)
      JSONString.append(collection.utf8, to: &bytes)
    }
    if let key = entry.key {
      append("key", key, to: &bytes)
      append("value", entry.value, to: &bytes)
    }
    if let expires = entry.expires {
      append("expires", to: &bytes)
      bytes += Array("\(expires)".utf8)
    }
    bytes += [UInt8(ascii: "}"), 10]
  }

  private func append(_ name: String, to bytes: inout [UInt8]) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes += Array("\"\(name)\":".utf8)
  }

  private func append(_ name: String, _ value: [UInt8], to bytes: inout [UInt8]) {
    if ExchangeBytes.isText(value) {
      append(name, to: &bytes)
      JSONString.append(value, to: &bytes)
    } else {
      append(name + "Base64", to: &bytes)
      JSONString.append(Base64.encode(value), to: &bytes)
    }
  }
}

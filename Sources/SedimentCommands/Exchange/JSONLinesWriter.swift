/// A line of JSON for each entry: `{"collection":"users","key":"1","value":"Ada","expires":1896091200000}`.
///
/// Bytes that are no UTF-8 are Base64 under `keyBase64` and `valueBase64`. Members that say nothing are left out.
struct JSONLinesWriter: ExchangeWriter {
  let head: [UInt8] = []

  func row(_ entry: ExchangeEntry) -> [UInt8] {
    var members: [(String, JSONValue)] = []
    if let collection = entry.collection { members.append(("collection", .text(collection))) }
    if let key = entry.key {
      for (name, bytes) in [("key", key), ("value", entry.value)] {
        members.append(JSONValue.bytes(name, bytes, isText: ExchangeBytes.isText(bytes)))
      }
    }
    if let expires = entry.expires { members.append(("expires", .integer(expires))) }
    return JSONValue.object(members).line
  }
}

public import Foundation

/// Makes values of data by a decoder; its errors become `DecodingError` of the decoder's type.
@inlinable
func decoding<Decoder, Value>(
  by decoder: Decoder.Type, _ decode: @escaping (Data) throws -> Value
) -> (Data) throws -> Value {
  { data in
    do {
      return try decode(data)
    } catch {
      throw DecodingError<Decoder>(originalData: data, rawError: error)
    }
  }
}

/// The dictionary at the top level; `Optional.UnwrapError` if there is something else.
@usableFromInline
func dictionary(_ topLevel: Any) throws -> [String: Any] {
  try (topLevel as? [String: Any]).unwrap()
}

// Foundation ends the process, on some systems, when it is given what its formats have no place for.

/// The JSON of what `JSONSerialization` knows.
@usableFromInline
func json(of value: Any, _ options: JSONSerialization.WritingOptions) throws -> Data {
  let isTopLevel = JSONSerialization.isValidJSONObject(value)
  let isFragment = options.contains(.fragmentsAllowed) && JSONSerialization.isValidJSONObject([value])
  guard isTopLevel || isFragment else {
    throw unencodable(value, "It is no array or dictionary of what JSON has.")
  }
  return try JSONSerialization.data(withJSONObject: value, options: options)
}

/// The property list of what `PropertyListSerialization` knows.
@usableFromInline
func plist(
  of value: Any, _ format: PropertyListSerialization.PropertyListFormat,
  _ options: PropertyListSerialization.WriteOptions
) throws -> Data {
  guard PropertyListSerialization.propertyList(value, isValidFor: format) else {
    throw unencodable(value, "It is not of what property lists have.")
  }
  return try PropertyListSerialization.data(fromPropertyList: value, format: format, options: options)
}

private func unencodable(_ value: Any, _ reason: String) -> EncodingError {
  .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
}

internal import SedimentFormat

extension SegmentCheck {
  /// Notes a good record if it is that of a dictionary of the catalogue.
  mutating func noteDictionary(_ header: RecordHeader, _ bytes: RawSpan, at offset: UInt64) {
    guard let number = header.dictionaryNumber(in: bytes), let entry = catalogue.dictionaries[number],
      entry.offset.byteOffset == offset,
      Checksum.empty.continued(with: bytes.extracting(header.valueRange)) == entry.checksum
    else { return }
    foundDictionaries.insert(entry.number)
  }

  /// Tells of dictionaries that are not where the catalogue says.
  func reportLostDictionaries(_ report: inout VerificationReport) {
    for entry in catalogue.dictionaries.values.sorted(by: { $0.number < $1.number })
    where !foundDictionaries.contains(entry.number) {
      let start = entry.offset.byteOffset
      report.add(
        .inconsistent, start..<start + UInt64(Limits.unitByteCount),
        "Dictionary \(entry.number) is not there, without which some values cannot be read. \(Advice.restore)"
      )
    }
  }
}

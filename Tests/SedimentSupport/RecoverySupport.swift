package import Sediment
package import SedimentDisk
package import SedimentFormat
package import SedimentTesting
import Testing

/// Opens the store on a disk as its writer.
@discardableResult
package func recover(_ disk: SimulatedDisk, _ mode: Opening.Mode = .readWrite) throws -> Opening.Result {
  let file = try disk.openFile(LogBuilder.path, mode == .readOnly ? .read : .readWrite)
  defer { try? file.close() }
  return try Opening(file, on: disk).recover(mode)
}

/// The records of users in the hot log, in order, as the catalogue of a recovered log has them.
package func lines(_ log: RecoveredLog, on disk: SimulatedDisk) throws -> [String] {
  let bytes = disk.contents(of: LogBuilder.path)!
  var lines: [String] = []
  let hot = log.catalogue.segments.filter { $0.identity.kind == .hot }
  for entry in hot.sorted(by: { $0.identity.generation < $1.identity.generation }) {
    var position = entry.identity.recordRange.lowerBound.byteOffset
    let end = (entry.end ?? log.end.offset).byteOffset
    let seed = entry.identity.seed(in: log.head.leading.identity)
    while position < end {
      let place = RecordPlace(seed: seed, base: entry.base, offset: UnitOffset(byteOffset: position)!)
      let record = unsafe bytes.span.bytes.extracting(Int(position)..<Int(end))
      let header = try RecordHeader.decode(record, at: place)
      let key = String(decoding: record.array(header.keyRange), as: UTF8.self)
      switch header.kind {
      case .put: lines.append("\(key)=\(String(decoding: record.array(header.valueRange), as: UTF8.self))")
      case .remove: lines.append("-\(key)")
      case .putLarge: lines.append("\(key)@large")
      case .control: break
      }
      position += UInt64(header.byteCount)
    }
  }
  return lines
}

/// What opening throws, nil if it does not.
package func failure(_ disk: SimulatedDisk, _ mode: Opening.Mode = .readWrite) -> SedimentError? {
  do {
    try recover(disk, mode)
    return nil
  } catch {
    return error as? SedimentError
  }
}

/// The calls that change a file which were made since a call.
package func changes(_ disk: SimulatedDisk, since call: Int) -> Set<DiskOperation> {
  Set(disk.calls[call...].map(\.operation)).intersection([.write, .allocate, .truncate, .punchHole, .sync])
}

extension LogBuilder {
  /// The users' records that count, in order.
  package var lines: [String] {
    lines(before: records.count)
  }

  /// The users' records that count if the log breaks off in the record of that number.
  package func lines(before number: Int) -> [String] {
    records.filter { $0.countsWith < number }.compactMap(\.line)
  }

  /// The users' records that count if the file holds these bytes instead: those before the first that differs.
  package func lines(in damaged: [UInt8]) -> [String] {
    let contents = disk.contents(of: Self.path)!
    let first = records.firstIndex { record in
      record.byteRange.upperBound > damaged.count
        || contents[record.byteRange] != damaged[record.byteRange]
    }
    return lines(before: first ?? records.count)
  }

  /// The number of the first record that ends above a position.
  package func firstRecord(above position: LogPosition) -> Int {
    records.firstIndex { $0.start >= position } ?? records.count
  }

  /// The store as it is, durable, on a disk of its own.
  package func durable() -> SimulatedDisk {
    disk.afterPowerLoss(.everything)
  }
}

/// The log of a file, as it is read without being changed.
package func readLog(_ disk: SimulatedDisk, _ path: String) throws -> RecoveredLog {
  let file = try disk.openFile(path, .read)
  defer { try? file.close() }
  return try LogReading(file).run()
}

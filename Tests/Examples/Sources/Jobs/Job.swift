#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Something that is to be done, as it lies in the queue.
public struct Job: Codable, Sendable, Equatable {
  /// The job's number, which no other job of the queue ever has.
  public let number: UInt64
  /// What is to be done, as whoever enqueued it has put it.
  public let payload: String
  /// How often it was leased so far.
  public internal(set) var attemptCount = 0
  /// When it may be leased again, in milliseconds since 1970.
  public internal(set) var dueTime: UInt64

  init(number: UInt64, payload: String, dueTime: UInt64) {
    self.number = number
    self.payload = payload
    self.dueTime = dueTime
  }

  init(encoded data: Data) throws {
    self = try JSONDecoder().decode(Job.self, from: data)
  }

  func encoded() throws -> Data { try JSONEncoder().encode(self) }

  /// Where the job lies in its collection.
  var key: String { String(number) }
}

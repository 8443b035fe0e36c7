internal import CSediment

/// What tells threads apart.
enum ThreadIdentity {
  /// The number of this thread: never 0, and of no other thread that lives.
  static var current: UInt { UInt(sediment_thread_identity()) }
}

internal import CSediment

/// Notices that the process was forked.
///
/// A store remembers the count when it is opened and compares it at each call: in a child it differs, and the
/// store refuses, because the child shares the parent's locks on the file but none of its threads.
package enum Forks {
  /// How many forks lie between the program's start and this process; one load.
  package static var count: UInt32 { sediment_fork_count() }
}

/// The right to change what readers use without a lock: the index, the slot table, the counts of segments and collections.
///
/// The writer has the one of an open store, so that whoever shows it has the writer's lock. It takes no memory.
package struct WritePermit: ~Copyable {
  /// A permit for what nobody else has yet, as while a store is being opened.
  package init() {}
}

/// The instances that are shared by those who access archives, found by the archives' keys as long as anybody has them;
/// each with the tick of the recording that it is of.
struct SharedInstances {
  private struct Instance {
    weak var object: AnyObject?
    let tick: UInt64
  }

  private var instances: [String: Instance] = [:]
  /// At how many those are looked for that are gone.
  private var cleaningCount = 64

  subscript(key: String) -> (object: AnyObject, tick: UInt64)? {
    get { instances[key].flatMap { instance in instance.object.map { ($0, instance.tick) } } }
    set {
      instances[key] = newValue.map { Instance(object: $0.object, tick: $0.tick) }
      guard instances.count > cleaningCount else { return }
      instances = instances.filter { $0.value.object != nil }
      cleaningCount = 2 * instances.count + 64
    }
  }
}

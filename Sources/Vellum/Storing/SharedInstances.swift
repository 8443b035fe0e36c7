/// The instances that are shared by those who access archives, found by the archives' keys as long as anybody has them.
struct SharedInstances {
  private struct Instance {
    weak var object: AnyObject?
  }

  private var instances: [String: Instance] = [:]
  /// At how many those are looked for that are gone.
  private var cleaningCount = 64

  subscript(key: String) -> AnyObject? {
    get { instances[key]?.object }
    set {
      instances[key] = newValue.map(Instance.init)
      guard instances.count > cleaningCount else { return }
      instances = instances.filter { $0.value.object != nil }
      cleaningCount = 2 * instances.count + 64
    }
  }
}

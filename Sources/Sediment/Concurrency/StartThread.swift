internal import CSediment

/// Starts a thread that does one thing; false if the system has none left.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  // A test schedules the threads that it has, and no others.
  if SchedulePoint.isScheduled { return false }
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = unsafe Unmanaged.passRetained(Box(body))
  let error = unsafe sediment_thread_start(
    { context in
      guard let context = unsafe context else { return }
      // The pointer is the one made above, and this thread alone takes the reference it stands for.
      unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
    }, box.toOpaque())
  if error != 0 { unsafe box.release() }
  return error == 0
}

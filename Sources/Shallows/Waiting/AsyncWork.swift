extension StorageAnswer {
  /// The result of an async closure.
  ///
  /// For a task that awaits it, it runs where tasks run; a thread that waits for it runs it itself; else it runs on
  /// `Workers`, since the threads of tasks are few, and who waits for the completion may hold them.
  @inlinable
  static func running(_ body: @escaping () async throws -> Value) -> StorageAnswer<Value> {
    .pending { completion in
      AsyncWork.begin {
        let result: ShallowsResult<Value>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        return { completion(result) }
      }
    }
  }

  /// The answer with its value given to an async closure.
  @inlinable
  func awaiting<Other>(_ transform: @escaping (Value) async throws -> Other) -> StorageAnswer<Other> {
    then { result in
      switch result {
      case .success(let value): .running { try await transform(value) }
      case .failure(let error): .failure(error)
      }
    }
  }
}

/// The tasks in which async closures run.
@usableFromInline
enum AsyncWork {
  /// Begins a task, and what its closure returns at its end, on behalf of who calls.
  @usableFromInline
  static func begin(_ body: @escaping () async -> () -> Void) {
    let body = Unchecked(body)
    let caller = CallingThread.caller
    Task(executorPreference: caller == .awaits ? nil : Workers.shared) {
      let end = await body.value()
      CallingThread.calling(for: caller, end)
    }
  }
}

// Foundation's own objects announce nothing, and there's no way to make them. The compiler says so, and what to write.

extension Foundation.Operation {
  /// Unavailable: Foundation's operations announce nothing.
  @available(
    *, unavailable,
    message: "Foundation's operations announce nothing: write FoundationKVO.Operation instead"
  )
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}

  /// Unavailable: Foundation's operations announce nothing.
  @available(
    *, unavailable,
    message: "Foundation's operations announce nothing: write FoundationKVO.Operation instead"
  )
  public func observe<Value>(
    _ keyPath: KeyPath<Foundation.Operation, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Foundation.Operation, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    fatalError("unavailable")
  }
}

extension Foundation.OperationQueue {
  /// Unavailable: Foundation's queues announce nothing.
  @available(
    *, unavailable,
    message: "Foundation's queues announce nothing: write FoundationKVO.OperationQueue instead"
  )
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}

  /// Unavailable: Foundation's queues announce nothing.
  @available(
    *, unavailable,
    message: "Foundation's queues announce nothing: write FoundationKVO.OperationQueue instead"
  )
  public func observe<Value>(
    _ keyPath: KeyPath<Foundation.OperationQueue, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Foundation.OperationQueue, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    fatalError("unavailable")
  }
}

extension Foundation.Progress {
  /// Unavailable: Foundation's progress, such as that of a `URLSessionTask`, announces nothing.
  @available(
    *, unavailable,
    message:
      "Foundation's progress, such as a URLSessionTask's, announces nothing: set a FoundationKVO.Progress from the session's delegate"
  )
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}

  /// Unavailable: Foundation's progress, such as that of a `URLSessionTask`, announces nothing.
  @available(
    *, unavailable,
    message:
      "Foundation's progress, such as a URLSessionTask's, announces nothing: set a FoundationKVO.Progress from the session's delegate"
  )
  public func observe<Value>(
    _ keyPath: KeyPath<Foundation.Progress, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Foundation.Progress, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    fatalError("unavailable")
  }
}

#if canImport(Combine) || OpenCombine
  import KeyValueCore

  // Publishers of values.
  extension KeyValueObservable {
    /// A publisher of the values of a typed key path.
    ///
    /// ```swift
    /// let subscription = person.publisher(for: \.age).sink { print($0) }   // 36
    /// person.age = 37                                                      // 37
    /// ```
    ///
    /// Each element is the value as it is when a change is told, so the last one is never outdated.
    ///
    /// - Parameters:
    ///   - keyPath: As for `observe(_:options:changeHandler:)`.
    ///   - options: With `initial`, the value at the time of subscribing comes first. `prior` goes to
    ///     the violation handler; where that returns, subscriptions finish at once. The others are
    ///     without meaning here.
    ///   - bufferingPolicy: What becomes of values that are not asked for yet; by default the newest is
    ///     kept.
    ///
    /// A path that cannot be observed goes to the violation handler when it is subscribed to.
    public func publisher<Value>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
    ) -> KeyValuePublisher<Value> {
      publisher(for: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
    }

    /// A publisher of the values of a key path that is written with `?`.
    @_disfavoredOverload
    public func publisher<Value>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
    ) -> KeyValuePublisher<Value?> {
      publisher(for: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
    }

    /// A publisher of the values of a path that is held in a value.
    public func publisher<Value>(
      for keyPath: KeyValuePath<Self, Value>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
    ) -> KeyValuePublisher<Value> {
      weak let object = self
      return KeyValuePublisher { onNews in
        object?.valuesSource(keyPath, options, bufferingPolicy, onNews: onNews)
      }
    }
  }

  // Publishers of changes.
  extension KeyValueObservable {
    /// A publisher of the changes of a typed key path.
    ///
    /// ```swift
    /// let subscription = person.publisher(forChangesOf: \.age, options: [.old, .new])
    ///   .sink { print($0) }
    /// person.age = 37                   // setting, old: 36, new: 37
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: As for `observe(_:options:changeHandler:)`.
    ///   - options: What a change carries, and with `initial` a first one at subscribing. `prior` goes
    ///     to the violation handler; where that returns, subscriptions finish at once.
    ///   - bufferingPolicy: What becomes of changes that are not asked for yet; by default all are kept.
    ///
    /// A path that cannot be observed goes to the violation handler when it is subscribed to.
    public func publisher<Value>(
      forChangesOf keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
      options: KeyValueObservingOptions = [],
      bufferingPolicy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValuePublisher<KeyValueObservedChange<Value>> {
      publisher(
        forChangesOf: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
    }

    /// A publisher of the changes of a key path that is written with `?`.
    @_disfavoredOverload
    public func publisher<Value>(
      forChangesOf keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
      options: KeyValueObservingOptions = [],
      bufferingPolicy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValuePublisher<KeyValueObservedChange<Value?>> {
      publisher(
        forChangesOf: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
    }

    /// A publisher of the changes of a path that is held in a value.
    public func publisher<Value>(
      forChangesOf keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
      bufferingPolicy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValuePublisher<KeyValueObservedChange<Value>> {
      weak let object = self
      return KeyValuePublisher { onNews in
        object?.changesSource(keyPath, options, bufferingPolicy, onNews: onNews)
      }
    }
  }
#endif

#if canImport(Combine) || OpenCombine
  import KeyValueCore

  extension KeyValueBoundPath {
    /// A publisher of the values of the path.
    ///
    /// ```swift
    /// let subscription = person.kvo.age.publisher().sink { print($0) }   // 36
    /// person.age = 37                                                    // 37
    /// ```
    ///
    /// Each element is the value as it is when a change is told, so the last one is never outdated. The
    /// object is not retained.
    ///
    /// - Parameters:
    ///   - options: With `initial`, the value at the time of subscribing comes first. `prior` goes to
    ///     the violation handler; where that returns, subscriptions finish at once. The others are
    ///     without meaning here.
    ///   - bufferingPolicy: What becomes of values that are not asked for yet; by default the newest is
    ///     kept.
    ///
    /// A path that cannot be observed goes to the violation handler when it is subscribed to.
    public func publisher(
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
    ) -> KeyValuePublisher<Value> {
      let (object, path) = _unbound
      weak let weakObject = object
      return KeyValuePublisher { onNews in
        weakObject?.valuesSource(path, options, bufferingPolicy, onNews: onNews)
      }
    }

    /// A publisher of the changes of the path.
    ///
    /// ```swift
    /// let subscription = person.kvo.age.publisher(changes: [.old, .new]).sink { print($0) }
    /// person.age = 37                   // setting, old: 36, new: 37
    /// ```
    ///
    /// - Parameters:
    ///   - options: What a change carries, and with `initial` a first one at subscribing. `prior` goes
    ///     to the violation handler; where that returns, subscriptions finish at once.
    ///   - bufferingPolicy: What becomes of changes that are not asked for yet; by default all are kept.
    ///
    /// A path that cannot be observed goes to the violation handler when it is subscribed to.
    public func publisher(
      changes options: KeyValueObservingOptions,
      bufferingPolicy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValuePublisher<KeyValueObservedChange<Value>> {
      let (object, path) = _unbound
      weak let weakObject = object
      return KeyValuePublisher { onNews in
        weakObject?.changesSource(path, options, bufferingPolicy, onNews: onNews)
      }
    }
  }

  extension KeyValueObservable {
    /// A publisher of the values of a typed key path, as Foundation spells it.
    ///
    /// ```swift
    /// let subscription = person.publisher(for: \.age).sink { print($0) }   // 36
    /// ```
    ///
    /// The same as `person.kvo.age.publisher()`.
    public func publisher<Value>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
    ) -> KeyValuePublisher<Value> {
      kvo[KeyValuePath(keyPath)].publisher(options: options, bufferingPolicy: bufferingPolicy)
    }
  }
#endif

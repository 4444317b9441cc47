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
    /// Each element is the value read at the time of a change's delivery, so the last element is
    /// never outdated. The publisher doesn't retain the object. Subscribing to a path that isn't
    /// observable goes to the violation handler.
    ///
    /// - Parameters:
    ///   - options: With `initial`, the value at the time of subscribing comes first. `prior` goes
    ///     to the violation handler; if it returns, subscriptions finish at once. The other options
    ///     have no effect.
    ///   - bufferingPolicy: Which values to keep while there is no demand; by default the newest.
    ///   - fileID: Where the publisher is made, for `KeyValueTrace`.
    ///   - line: The line there.
    /// - Returns: The publisher.
    public func publisher(
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1),
      fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValuePublisher<Value> {
      let (object, path) = _unbound
      weak let weakObject = object
      return KeyValuePublisher { onNews in
        weakObject?.valuesSource(
          path, options, bufferingPolicy, keeping: .nothing, at: SourcePlace(fileID, line),
          onNews: onNews)
      }
    }

    /// A publisher of the changes of the path.
    ///
    /// ```swift
    /// let subscription = person.kvo.age.publisher(changes: [.old, .new]).sink { print($0) }
    /// person.age = 37                   // setting, old: 36, new: 37
    /// ```
    ///
    /// Subscribing to a path that isn't observable goes to the violation handler.
    ///
    /// - Parameters:
    ///   - options: What a change carries; with `initial`, the first change comes when subscribing.
    ///     `prior` goes to the violation handler; if it returns, subscriptions finish at once.
    ///   - bufferingPolicy: Which changes to keep while there is no demand; by default all.
    ///   - fileID: Where the publisher is made, for `KeyValueTrace`.
    ///   - line: The line there.
    /// - Returns: The publisher.
    public func publisher(
      changes options: KeyValueObservingOptions,
      bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
      fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValuePublisher<KeyValueObservedChange<Value>> {
      let (object, path) = _unbound
      weak let weakObject = object
      return KeyValuePublisher { onNews in
        weakObject?.changesSource(
          path, options, bufferingPolicy, keeping: .nothing, at: SourcePlace(fileID, line),
          onNews: onNews)
      }
    }
  }

  extension KeyValueObservable {
    /// A publisher of the values of a typed key path, in Foundation's spelling.
    ///
    /// ```swift
    /// let subscription = person.publisher(for: \.age).sink { print($0) }   // 36
    /// ```
    ///
    /// Equivalent to `person.kvo.age.publisher()`.
    public func publisher<Value>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1),
      fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValuePublisher<Value> {
      kvo[KeyValuePath(keyPath)].publisher(
        options: options, bufferingPolicy: bufferingPolicy, fileID: fileID, line: line)
    }

    /// A publisher of the values of a key path that is written with `?`, in Foundation's spelling.
    ///
    /// ```swift
    /// let subscription = person.publisher(for: \.account?.balance)
    ///   .sink { print($0 as Any) }                                         // Optional(120.0)
    /// ```
    @_disfavoredOverload
    public func publisher<Value>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
      options: KeyValueObservingOptions = [.initial, .new],
      bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1),
      fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValuePublisher<Value?> {
      kvo[KeyValuePath(keyPath)].publisher(
        options: options, bufferingPolicy: bufferingPolicy, fileID: fileID, line: line)
    }
  }
#endif

// The audit is for debug builds; `-DKVO_AUDIT` builds it into others.
#if DEBUG || KVO_AUDIT
  import Synchronization

  /// Compares what the getters of observed dependent keys read with what those keys are known to depend
  /// on, and reports what is read and not followed (Parity L3).
  ///
  /// What registering and the observance itself read is looked at each time, because another branch may
  /// read something else. A getter whose value nothing has read at registration runs once more for it.
  /// What is found is looked at again, getter by getter, with nothing attached or detached meanwhile:
  /// another thread may be exchanging an object on the path.
  ///
  /// Not looked at: keys that announce themselves (`@NotifiesManually`), and keys with `@DependsOn()`.
  /// What no accessor reports is not seen: ignored and constant properties, and classes without the
  /// macro.
  @usableFromInline
  enum DependencyAudit {
    /// What one observance has been through.
    struct History {
      /// Properties that are read and not followed, and have been looked at, by class and id.
      var settled: Set<ReadRecording.Place> = []
      /// Whether the observed value has been read.
      var hasBeenRead = false
      /// Whether registering has succeeded.
      var isRegistered = false
    }

    /// Looks at what getters of the observed path read, once the observance is registered.
    ///
    /// - Parameter attaching: What was read meanwhile.
    static func registered(
      _ observance: Observance, on object: any KeyValueObservable, _ attaching: ReadRecording
    ) {
      guard observance.isActive else { return }
      observance.audit.withLock { $0.isRegistered = true }
      #if os(Linux)
        let key = String(observance.keyPath.prefix { $0 != "." })
        MisplacedHooks.check(.dependencies, .automatic, of: key, in: object.schema)
      #endif
      guard let keys = observance.auditedKeys else { return }
      reportUnheardReads(keys, of: object)
      if attaching.reads.contains(where: observance.isSuspicious) {
        examine(observance, object, keys[...])
      } else if !observance.audit.withLock({ $0.hasBeenRead }) {
        // What contributes to an operator has been read for it.
        examine(observance, object, keys.prefix { !CollectionOperator.isOperator($0) })
      }
    }

    /// Reads the observed value for the observance, and looks at what is read.
    @usableFromInline
    static func reading<Value>(
      _ observance: Observance, _ root: AnyObject, _ read: () -> Value
    ) -> Value {
      guard let keys = observance.auditedKeys, let root = root as? any KeyValueObservable else {
        return read()
      }
      let (value, recording) = ReadRecording.record(read)
      observance.audit.withLock { $0.hasBeenRead = true }
      if observance.isActive, recording.reads.contains(where: observance.isSuspicious) {
        examine(observance, root, keys[...])
      }
      return value
    }

    private static func examine(
      _ observance: Observance, _ root: any KeyValueObservable, _ keys: ArraySlice<String>
    ) {
      // A getter that attaches something at each call, or a busy thread, is left alone after a while.
      for _ in 0..<8 {
        let before = structure
        let examination = DependencyExamination(observance)
        examination.examine(keys, of: root)
        guard examination.findings.isEmpty || before == structure else { continue }
        observance.audit.withLock { $0.settled.formUnion(examination.unfollowed) }
        return examination.findings.forEach(report)
      }
    }

    // MARK: What is attached

    private static let detachments = Atomic<UInt64>(0)

    /// Notes that an observance is detached from a property.
    static func noteDetachment() { detachments.add(1, ordering: .relaxed) }

    /// The same twice means that nothing was attached to any property in between, nor detached.
    private static var structure: [UInt64] {
      [RegistrarState.attachmentCount, detachments.load(ordering: .relaxed)]
    }

    // MARK: Reporting

    private struct Report: Hashable {
      let owner: ObjectIdentifier
      let key: String
      let read: String
    }

    /// What has been reported, which is not reported again.
    private static let reported = LockedValue<Set<Report>>([])
    private static func report(_ finding: DependencyExamination.Finding) {
      let owner = finding.owner.schema
      let schema = finding.object.schema
      guard let read = schema.property(id: finding.id)?.key else { return }
      let report = Report(
        owner: ObjectIdentifier(owner), key: finding.key, read: "\(schema.name).\(read)")
      guard reported.withLock({ $0.insert(report).inserted }) else { return }
      KeyValueViolation.report(
        .tolerated,
        "\(owner.name).\(finding.key) read \(report.read), which it is not known to depend on, so it is "
          + "not notified when that changes. \(finding.wayOut(read))")
    }
  }

  extension Observance {
    /// The keys of the observed path, where a getter of the class's may run when it is read.
    fileprivate var auditedKeys: [String]? {
      if tree != nil { return path.keys }
      guard let property, case .computed = property.origin else { return nil }
      return [property.key]
    }

    /// Whether a property that was read has to be looked at: it is not followed, and has not been looked
    /// at before.
    fileprivate func isSuspicious(_ read: ReadRecording.Read) -> Bool {
      guard let kind = read.kind, !follows(read) else { return false }
      return audit.withLock { !$0.settled.contains(kind) }
    }

    /// Whether the observance is attached to a property that was read; nothing is missed of a dead object.
    func follows(_ read: ReadRecording.Read) -> Bool {
      guard let object = read.object else { return true }
      let (watches, _) = object._$kvoWithRegistrar { $0.watches(of: read.place.id) }
      var isFound = false
      watches.forEach { if $0.observance === self { isFound = true } }
      return isFound
    }
  }

  extension ReadRecording.Read {
    /// The property, of any object of that class; nil where the object has died.
    var kind: ReadRecording.Place? {
      object.map { .init(object: ObjectIdentifier(type(of: $0)), id: place.id) }
    }
  }
#endif

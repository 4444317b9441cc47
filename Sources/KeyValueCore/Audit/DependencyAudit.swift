// The audit is part of debug builds; `-DKVO_AUDIT` adds it to others.
#if DEBUG || KVO_AUDIT
  import Synchronization

  /// Compares the properties that getters of observed dependent keys read with the keys' known
  /// dependencies, and reports reads that aren't followed (Parity L3).
  ///
  /// It checks each reading by registering and by the observance itself, because another branch may
  /// read other properties. A getter runs once more if registering didn't read its value. It checks
  /// a finding again, getter by getter, until the observance isn't attached or detached meanwhile: another
  /// thread may be exchanging an object on the path.
  ///
  /// It skips keys that announce themselves (`@NotifiesManually`) and keys with `@DependsOn()`. It
  /// doesn't see reads that no accessor reports: of ignored and constant properties, and of classes
  /// without the macro.
  @usableFromInline
  enum DependencyAudit {
    /// What the audit knows about one observance.
    struct History {
      /// Properties that are read and not followed, and already checked, by class and id.
      var settled: Set<ReadRecording.Place> = []
      /// Whether the observed value has been read.
      var hasBeenRead = false
      /// Whether registering has succeeded.
      var isRegistered = false
      /// The last delivery of a change's values, for `OutdatedDelivery`.
      var lastDelivery: (thread: ThreadIdentity, number: UInt64)?
      /// What watches the graph of the log that the observance belonged to, for `EndedLog`.
      var endedLog: AnyObject?
    }

    /// Checks what getters of the observed path read, once the observance is registered.
    ///
    /// `attaching` holds the reads made during the registration.
    static func registered(
      _ observance: Observance, on object: any KeyValueObservable, _ attaching: ReadRecording
    ) {
      guard observance.isActive else { return }
      observance.audit.withLock { $0.isRegistered = true }
      #if os(Linux)
        UnannotatedClasses.check(object)
        if let key = observance.path.keys.first?.name {
          MisplacedHooks.check(.dependencies, .automatic, of: key, in: object.schema)
          if let property = object.schema.property(key) {
            UnannotatedClasses.check(property, of: object.schema)
          }
        }
      #endif
      reportIfConstant(observance, on: object)
      guard let keys = observance.auditedKeys else { return }
      reportUnheardReads(keys, of: object)
      if attaching.reads.contains(where: observance.isSuspicious) {
        examine(observance, object, keys[...])
      } else if !observance.audit.withLock({ $0.hasBeenRead }) {
        // Attaching has already read an operator's contributions.
        examine(observance, object, keys.prefix { !$0.isOperator })
      }
    }

    /// Reads the observed value for the observance, and checks what the getters read.
    @usableFromInline
    static func reading<Value>(
      _ observance: Observance, _ root: AnyObject, _ read: () -> Value
    ) -> Value {
      guard let keys = observance.auditedKeys, let root = root as? any KeyValueObservable else {
        return read()
      }
      if ReadRecording.depth(of: observance.number) >= DeliveryNesting.limit {
        reportEndlessReading(observance, root)
      }
      let (value, recording) = ReadRecording.record(for: observance.number, read)
      observance.audit.withLock { $0.hasBeenRead = true }
      if observance.isActive, recording.reads.contains(where: observance.isSuspicious) {
        examine(observance, root, keys[...])
      }
      return value
    }

    /// Traps before the stack overflows.
    private static func reportEndlessReading(
      _ observance: Observance, _ root: any KeyValueObservable
    ) -> Never {
      KeyValueViolation.fatal(
        .runawayRecursion,
        "Reading \(type(of: root)).\(observance.keyPath) sets a property that it depends on, and so reads "
          + "itself again, more than \(DeliveryNesting.limit) times. A getter must not set an observable "
          + "property: mark what it sets @KeyValueIgnored, or set it elsewhere.")
    }

    private static func examine(
      _ observance: Observance, _ root: any KeyValueObservable, _ keys: ArraySlice<PathComponent>
    ) {
      // Gives up after eight attempts: a getter may attach at each call, or a thread may be busy.
      for _ in 0..<8 {
        let before = observance.attachmentChanges.load(ordering: .relaxed)
        let examination = DependencyExamination(observance)
        examination.examine(keys, of: root)
        let after = observance.attachmentChanges.load(ordering: .relaxed)
        guard examination.findings.isEmpty || before == after else { continue }
        observance.audit.withLock { $0.settled.formUnion(examination.unfollowed) }
        return examination.findings.forEach(report)
      }
    }

    // MARK: Attachments

    /// Counts that an observance is attached to a property, or detached from one.
    static func noteAttachment(of observance: Observance) {
      observance.attachmentChanges.add(1, ordering: .relaxed)
    }

    // MARK: Reporting

    private static func report(_ finding: DependencyExamination.Finding) {
      let owner = finding.owner.schema
      let schema = finding.object.schema
      guard let read = schema.property(id: finding.id)?.key else { return }
      let place = "\(schema.name).\(read)"
      if let (path, holder) = finding.member {
        return ReportOnce.tolerated("unfollowed \(place)", of: owner.type, path) {
          "The path '\(path)' reads \(place) through a member of \(holder) that is no key, so it is not "
            + "notified when that changes. \(finding.wayOutOfMember(read))"
        }
      }
      // Each way is a path of its own, except that a dictionary has one for each entry.
      let way = finding.way.map { $0.leadsThroughDictionary ? "" : $0.keys.joined(separator: ".") }
      ReportOnce.tolerated("unfollowed \(place) \(way ?? "")", of: owner.type, finding.key) {
        "\(owner.name).\(finding.key) read \(place), which it is not known to depend on, so it is "
          + "not notified when that changes. \(finding.wayOut(read))"
      }
    }
  }

  extension Observance {
    /// The keys of the observed path, if reading it may run a getter of the class.
    fileprivate var auditedKeys: [PathComponent]? {
      if auditsPath { return path.keys }
      guard let property, case .computed = property.origin else { return nil }
      return [.key(property.key)]
    }

    /// Whether more than one key's getter is checked: members of values may read objects, too.
    var auditsPath: Bool { tree != nil || path.tail != nil || path.isUncertain }

    /// Whether a read property needs a check: it's neither followed nor already checked.
    fileprivate func isSuspicious(_ read: ReadRecording.Read) -> Bool {
      guard let kind = read.kind, !follows(read) else { return false }
      return audit.withLock { !$0.settled.contains(kind) }
    }

    /// Whether the observance is attached to a read property; also true if the object is dead.
    func follows(_ read: ReadRecording.Read) -> Bool {
      guard let object = read.object else { return true }
      let (watches, _) = object._$kvoWithRegistrar { $0.watches(of: read.place.id) }
      var isFound = false
      watches.forEach { if $0.observance === self { isFound = true } }
      return isFound
    }
  }

  extension ReadRecording.Read {
    /// The property, of any object of that class; nil if the object is dead.
    var kind: ReadRecording.Place? {
      object.map { .init(object: ObjectIdentifier(type(of: $0)), id: place.id) }
    }
  }
#endif

#if DEBUG || KVO_AUDIT
  /// One check of an observed path: runs its getters one by one, and compares what each reads with
  /// its key's known dependencies.
  ///
  /// Used by one thread, with no lock held, because getters are client code.
  final class DependencyExamination {
    /// A property that a getter read and that isn't a known dependency of the key.
    struct Finding {
      /// The getter's object, and the getter's key.
      let owner: any KeyValueObservable
      let key: String
      /// The observed path and the holder of the member, if a member that isn't a key made the read.
      var member: (path: String, holder: String)?
      let object: any KeyValueObservable
      let id: Int
      /// How to reach the object from the owner.
      let way: KeyWay?
    }

    private(set) var findings: [Finding] = []
    /// Every property that was read and isn't followed, by class and id.
    private(set) var unfollowed: Set<ReadRecording.Place> = []

    private typealias Place = ReadRecording.Place
    private unowned let observance: Observance
    private var examined: Set<Node> = []

    /// One key of one object.
    private struct Node: Hashable {
      let object: ObjectIdentifier
      let key: String

      init(_ object: any KeyValueObservable, _ property: Property) {
        self.object = ObjectIdentifier(object)
        key = property.key
      }
    }

    /// The observed path.
    ///
    /// Members of values on it aren't keys, whatever their names.
    private let path: ObservedPath?

    init(_ observance: Observance) {
      self.observance = observance
      path = observance.auditsPath ? observance.path : nil
    }

    /// Checks each computed key on a path from an object, and each member of a value.
    ///
    /// `keys` is a suffix of the observed path, with that path's indexes.
    func examine(_ keys: ArraySlice<PathComponent>, of object: any KeyValueObservable) {
      guard let key = keys.first else { return }
      let rest = keys.dropFirst()
      if let member = path?.member(at: keys.startIndex) {
        return examine(member: member, of: object, keys)
      }
      if key.isIdentity { return examine(rest, of: object) }
      guard let property = object.schema.property(key.name), object.canBeExamined(property) else {
        return
      }
      guard property.isAudited(in: object.schema) else {
        guard !rest.isEmpty || path?.tail != nil else { return }
        return examine(rest, behind: reading(of: property, object, property.anyValue(of: object)))
      }
      guard examined.insert(Node(object, property)).inserted else { return }
      let (value, recording) = ReadRecording.record { property.anyValue(of: object) }
      look(at: recording, by: property, of: object)
      examine(rest, behind: reading(of: property, object, value))
    }

    private func reading(
      of property: Property, _ object: any KeyValueObservable, _ value: Any?
    ) -> Reading {
      Reading(
        owner: object, property: property, holder: "\(object.schema.name).\(property.key)",
        start: { property.anyValue(of: $0) }, value: value)
    }

    /// A value on the path, read from the last object before it: a key's, then members of values.
    private struct Reading {
      let owner: any KeyValueObservable
      /// The key that is observed for it; nil for an object's member that isn't one, which attaching to the
      /// path has reported.
      let property: Property?
      /// What has the members, for a message.
      let holder: String
      let start: (any KeyValueObservable) -> Any?
      private(set) var value: Any?
      private(set) var members: [(Any) -> Any?] = []

      mutating func append(_ member: @escaping (Any) -> Any?) {
        members.append(member)
        value = value.flatMap(member)
      }

      func again() -> Any? { members.reduce(start(owner)) { $0.flatMap($1) } }
    }

    private func examine(
      member: @escaping (Any) -> Any?, of object: any KeyValueObservable,
      _ keys: ArraySlice<PathComponent>
    ) {
      let property =
        path?.isPlainMember(at: keys.startIndex) == true
        ? nil : AccessProbe(object, member).property
      var reading = Reading(
        owner: object, property: property, holder: object.schema.name, start: { $0 }, value: object)
      reading.append(member)
      examine(keys.dropFirst(), behind: reading)
    }

    /// Continues after a key, through members of values to the next key.
    private func examine(_ keys: ArraySlice<PathComponent>, behind reading: Reading) {
      var reading = reading
      if keys.isEmpty, let tail = path?.tail, keys.startIndex == path?.keys.endIndex {
        reading.append(tail)
      }
      if let member = path?.member(at: keys.startIndex), !keys.isEmpty {
        if let object = reading.value as? any KeyValueObservable {
          check(reading)
          return examine(member: member, of: object, keys)
        }
        reading.append(member)
        return examine(keys.dropFirst(), behind: reading)
      }
      check(reading)
      guard !keys.isEmpty else { return }
      forEachObject(in: reading.value, before: keys, oneOfEachClass: true) { examine($1, of: $0) }
    }

    /// Compares what the members of values read with what the observance follows.
    private func check(_ reading: Reading) {
      guard let path, let property = reading.property, !reading.members.isEmpty else { return }
      let owner = reading.owner
      let (_, recording) = ReadRecording.record { reading.again() }
      let known = KnownSources(of: property, owner).places
      for read in recording.reads where !observance.follows(read) {
        guard let target = read.object, let kind = read.kind,
          !known.contains(read.place), unfollowed.insert(kind).inserted
        else { continue }
        findings.append(
          Finding(
            owner: owner, key: property.key, member: (path.string, reading.holder), object: target,
            id: read.place.id, way: KeyWay(from: owner, to: target, through: recording)))
      }
    }

    private func look(
      at recording: ReadRecording, by property: Property, of object: any KeyValueObservable
    ) {
      var known: KnownSources?
      for read in recording.reads where !observance.follows(read) {
        guard let target = read.object, let kind = read.kind else { continue }
        unfollowed.insert(kind)
        if known == nil { known = KnownSources(of: property, object) }
        if known?.places.contains(read.place) == true { continue }
        let (owner, reader, reads) = reader(of: read.place, property, object, recording)
        findings.append(
          Finding(
            owner: owner, key: reader.key, object: target, id: read.place.id,
            way: KeyWay(from: owner, to: target, through: reads)))
      }
    }

    /// The key nearest to a read; a dependency of the examined key may have made the read.
    private func reader(
      of place: Place, _ property: Property, _ object: any KeyValueObservable,
      _ recording: ReadRecording
    ) -> (any KeyValueObservable, Property, ReadRecording) {
      var nearest = (object as any KeyValueObservable, property, recording)
      var seen: Set<Node> = [Node(object, property)]
      var isFound = true
      while isFound {
        isFound = false
        let (owner, reader, _) = nearest
        for dependency in owner.schema.traits(of: reader).dependencies where !isFound {
          KnownSources.follow(dependency.components[...], from: owner) { object, source in
            guard !isFound, source.isAudited(in: object.schema), object.canBeRead(source),
              seen.insert(Node(object, source)).inserted
            else { return }
            let (_, recording) = ReadRecording.record { source.anyValue(of: object) }
            guard recording.contains(place) else { return }
            nearest = (object, source, recording)
            isFound = true
          }
        }
      }
      return nearest
    }
  }

  /// The properties that a key depends on at this moment, directly or through another key.
  ///
  /// The observance is attached to them, except during a change that moves attachments.
  struct KnownSources {
    private(set) var places: Set<ReadRecording.Place> = []
    private var seen: Set<ReadRecording.Place> = []

    init(of property: Property, _ object: any KeyValueObservable) {
      collect(property, object)
    }

    private mutating func collect(_ property: Property, _ object: any KeyValueObservable) {
      let place = ReadRecording.Place(object: ObjectIdentifier(object), id: property.id)
      guard seen.insert(place).inserted else { return }
      places.insert(place)
      let schema = object.schema
      if property.announcesItself(in: schema), object.canBeRead(property) {
        // The class announces this key itself, so everything that the getter reads counts as known.
        let (_, recording) = ReadRecording.record { property.anyValue(of: object) }
        places.formUnion(recording.reads.map(\.place))
      }
      for dependency in schema.traits(of: property).dependencies {
        var sources: [(any KeyValueObservable, Property)] = []
        KnownSources.follow(dependency.components[...], from: object) { sources.append(($0, $1)) }
        for (object, source) in sources { collect(source, object) }
      }
    }

    /// Calls the body for each property on a path, including the last.
    static func follow(
      _ components: ArraySlice<PathComponent>, from object: any KeyValueObservable,
      _ body: (any KeyValueObservable, Property) -> Void
    ) {
      guard let key = components.first else { return }
      let rest = components.dropFirst()
      if key.isIdentity { return follow(rest, from: object, body) }
      guard let property = object.schema.property(key.name) else { return }
      body(object, property)
      guard !rest.isEmpty, object.canBeRead(property) else { return }
      forEachObject(in: property.anyValue(of: object), before: rest) { follow($1, from: $0, body) }
    }
  }

  /// Calls the body for each observable object in a value, with the rest of the path; an operator
  /// leads to the elements.
  private func forEachObject(
    in value: Any?, before rest: ArraySlice<PathComponent>, oneOfEachClass: Bool = false,
    _ body: (any KeyValueObservable, ArraySlice<PathComponent>) -> Void
  ) {
    guard let value, let next = rest.first else { return }
    var seen: Set<ObjectIdentifier> = []
    switch value {
    case let object as any KeyValueObservable: body(object, rest)
    case let dictionary as [String: Any]:
      forEachObject(
        in: dictionary[next.name].flatMap(flattened), before: rest.dropFirst(),
        oneOfEachClass: oneOfEachClass, body)
    case let collection as any ToMany:
      let rest = next.isOperator ? rest.dropFirst() : rest
      for case let element? in collection.anyElements {
        if oneOfEachClass, !seen.insert(ObjectIdentifier(type(of: element))).inserted { continue }
        forEachObject(in: element, before: rest, oneOfEachClass: oneOfEachClass, body)
      }
    default: break
    }
  }

  extension ObservedPath {
    /// Reads a component that is a member, with a name only for printing; nil for a key.
    fileprivate func member(at index: Int) -> ((Any) -> Any?)? {
      members[index] ?? (index == 0 ? unknown?.read : nil)
    }

    fileprivate func isPlainMember(at index: Int) -> Bool {
      plainMembers.contains(index) || index == 0 && isPlainMember
    }
  }

  extension Property {
    /// Whether the key's value follows from its getter's reads.
    fileprivate func isAudited(in schema: KeyValueSchema) -> Bool {
      guard case .computed = origin else { return false }
      return !announcesItself(in: schema)
    }

    /// Whether the class announces the key itself, or declares its dependencies complete.
    fileprivate func announcesItself(in schema: KeyValueSchema) -> Bool {
      switch origin {
      case .accessors: true
      case .computed: !schema.traits(of: self).isAutomatic || schema.hasCompleteDependencies(key)
      case .stored, .manual, .constant: false
      }
    }
  }

  extension KeyValueObservable {
    /// Whether a property may be read: it isn't being modified in place, which would trap.
    func canBeRead(_ property: Property) -> Bool {
      // A getter may read any property of the object.
      if case .computed = property.origin { return !isBeingModified }
      return _$kvoWithRegistrar { registrar in
        let word = registrar.word.load(ordering: .acquiring)
        if let id = KeyValueRegistrar.markedID(word) { return id != property.id }
        return registrar.storage()?.read { !$0.isModifying(property.id) } ?? true
      }
    }

    /// Whether a property may be read, and its getter may read the objects that it's known to depend on.
    fileprivate func canBeExamined(_ property: Property) -> Bool {
      guard canBeRead(property) else { return false }
      var canBeExamined = true
      for dependency in schema.traits(of: property).dependencies where canBeExamined {
        KnownSources.follow(dependency.components[...], from: self) { object, _ in
          if object.isBeingModified { canBeExamined = false }
        }
      }
      return canBeExamined
    }

    /// Whether any property is being modified in place.
    private var isBeingModified: Bool {
      _$kvoWithRegistrar { registrar in
        registrar.word.load(ordering: .acquiring) & KeyValueRegistrar.modifyingBit != 0
      }
    }
  }
#endif

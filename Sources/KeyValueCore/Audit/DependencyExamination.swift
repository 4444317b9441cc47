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
      path = observance.tree == nil ? nil : observance.path
    }

    /// Checks each computed key on a path from an object.
    ///
    /// `keys` is a suffix of the observed path, with that path's indexes.
    func examine(_ keys: ArraySlice<PathComponent>, of object: any KeyValueObservable) {
      guard let key = keys.first, path?.isMember(at: keys.startIndex) != true else { return }
      let rest = keys.dropFirst()
      if key.isIdentity { return examine(rest, of: object) }
      guard let property = object.schema.property(key.name), object.canBeRead(property) else {
        return
      }
      guard property.isAudited(in: object.schema) else {
        guard !rest.isEmpty else { return }
        return examine(rest, behind: property.anyValue(of: object))
      }
      guard examined.insert(Node(object, property)).inserted else { return }
      let (value, recording) = ReadRecording.record { property.anyValue(of: object) }
      look(at: recording, by: property, of: object)
      examine(rest, behind: value)
    }

    /// Continues after a key, through members of values to the next key.
    private func examine(_ keys: ArraySlice<PathComponent>, behind value: Any?) {
      guard let value, !keys.isEmpty else { return }
      // For an observable object, `member` wouldn't show what the member reads.
      if let member = path?.members[keys.startIndex], !(value is any KeyValueObservable) {
        return examine(keys.dropFirst(), behind: member(value))
      }
      forEachObject(in: value, before: keys, oneOfEachClass: true) { examine($1, of: $0) }
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
    /// Whether a component is a member, with a name only for printing.
    fileprivate func isMember(at index: Int) -> Bool {
      members[index] != nil || index == 0 && isUncertain
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
      _$kvoWithRegistrar { registrar in
        let word = registrar.word.load(ordering: .acquiring)
        if let id = KeyValueRegistrar.markedID(word) { return id != property.id }
        return registrar.storage()?.read { !$0.isModifying(property.id) } ?? true
      }
    }
  }
#endif

import SwiftSyntax

/// Writes the accessors of one tracked property and its hidden storage.
struct AccessorGeneration {
  private let declaration: VariableDeclSyntax
  private let binding: PatternBindingSyntax
  private let identifier: TokenSyntax
  private let trackingName: String?
  private let isCoded: Bool
  private let active: ActiveClauses

  /// Nil for anything but a `var` with one plain name; with `trackingName`, the accessors notify that
  /// registrar of Observation too.
  ///
  /// `isCoded` means that methods of `Codable`, which can't be deprecated, may use the storage.
  init?(
    _ declaration: some DeclSyntaxProtocol, trackingName: String? = nil, isCoded: Bool = false,
    active: ActiveClauses = .unknown
  ) {
    guard let declaration = declaration.as(VariableDeclSyntax.self), !declaration.isLet,
      declaration.bindings.count == 1, let binding = declaration.bindings.first,
      !binding.isComputed, let name = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    self.declaration = declaration
    self.binding = binding
    self.trackingName = trackingName
    self.isCoded = isCoded
    self.active = active
    identifier = name.identifier
  }

  private var storageName: String { EmittedNames.storage(of: identifier.plainName) }
  private var id: String { "\(EmittedNames.identifier)(.\(identifier.text))" }

  private var registrar: String { EmittedNames.registrar }

  var accessors: [AccessorDeclSyntax] {
    let accessors = [initializer, getter, setter, modifier]
    // Next to a property observer the compiler indents them itself.
    guard binding.accessorBlock == nil else { return accessors.map { .verbatim($0) } }
    return accessors.map { .verbatim($0.indented(by: "  ")) }
  }

  /// A line that notifies Observation; empty in a class that doesn't request it.
  private func tracking(_ event: String) -> String {
    trackingCall(event).map { "  \($0)\n" } ?? ""
  }

  private func trackingCall(_ event: String) -> String? {
    trackingName.map { "\($0).\(event)(self, \\.\(identifier.text))" }
  }

  private var trackedMutation: String {
    tracking("willSet") + (trackingCall("didSet").map { "  defer { \($0) }\n" } ?? "")
  }

  private var initializer: String {
    """
    @storageRestrictions(initializes: \(storageName))
    init(initialValue) {
      \(storageName) = initialValue
    }
    """
  }

  private var getter: String {
    """
    get {
    \(tracking("access"))  \(registrar).access(\(id), of: self)
      return \(storageName)
    }
    """
  }

  private var setter: String {
    """
    set {
    \(trackedMutation)  if \(registrar).storesDirectly {
        \(storageName) = newValue
      } else {
        \(registrar).assign(newValue, to: \(id), of: self)
      }
    }
    """
  }

  private var modifier: String {
    """
    _modify {
    \(tracking("access"))\(trackedMutation)  var modification = \(registrar).beginModify(\(id), of: self)
      defer { \(registrar).endModify(&modification, of: self) }
      yield &\(storageName)
    }
    """
  }

  /// The property under its hidden name, with its ownership, isolation, type, initialiser and
  /// observers.
  ///
  /// It's deprecated if the property is, whose type may be so, too: only deprecated code names that without
  /// a warning.
  ///
  /// It needs no dynamic exclusivity check. It's private: only the accessors, and the schema entry
  /// that lends a collection to its proxies, access it. The registrar traps if an accessor runs
  /// while the property is being modified in place.
  var storage: DeclSyntax { .verbatim(storageText) }

  private var storageText: String {
    let attributes = declaration.attributes.all(in: active)
      .filter { $0.isGlobalActor || $0.isDeprecation && !isCoded }
      .map { $0.trimmedDescription + " " }.joined()
    let kept = declaration.modifiers.filter { modifier in
      ["weak", "unowned", "nonisolated"].contains(modifier.name.text)
    }.map { $0.trimmedDescription + " " }.joined()
    let type = binding.typeAnnotation.map { ": \($0.type.trimmedDescription)" } ?? ""
    let value = binding.initializer.map { " = \($0.value.trimmedDescription)" } ?? ""
    let head = "@safe @exclusivity(unchecked) \(attributes)private final \(kept)var \(storageName)"
    guard !binding.observers.isEmpty else { return head + type + value }
    let observers = binding.observers.map { rewritten($0).indented(by: "  ") }.joined(
      separator: "\n")
    return """
      \(head)\(type)\(value) {
      \(observers)
      }
      """
  }

  /// An observer that uses the storage, without its indentation.
  ///
  /// In plain Swift an observer, and code that it calls, may use the property, because a
  /// modification in place is over by then. Here the observer runs inside the coroutine that yields
  /// the storage, so it first notifies the registrar, which also knows whether the value is being put back.
  private func rewritten(_ observer: AccessorDeclSyntax) -> String {
    var observer = observer
    let names = FunctionNameRewriter(name: identifier.plainName)
    observer.body = observer.body.map { names.visit($0) }
    return ObserverRewriting(property: identifier.plainName, storage: storageName)
      .rewrite(observer)
      .beginning(with: "guard \(registrar).beginObserver(\(id)) else { return }")
      .outdented
  }
}

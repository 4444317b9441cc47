import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds the mistakes in an annotated class, property by property.
struct ClassDiagnostics {
  let model: ObservableClass
  let context: any MacroExpansionContext
  /// Whether no superclass is observable, so that no key is inherited.
  let isRoot: Bool

  func run() {
    var refused: Set<SyntaxIdentifier> = []
    for property in model.properties {
      switch property.kind {
      case .refused(let refusal):
        guard refused.insert(property.declaration.id).inserted else { continue }
        report(refusal, property)
      case .tracked: checkObservers(property)
      // Cocoa sources state dependencies themselves, and leave some keys silent on purpose.
      case .computed where model.style == .swift: checkInference(property)
      default: break
      }
      if property.name == EmittedNames.startOfPaths {
        context.report(.hidesPaths(type: model.name), at: property.token)
      }
      if !property.isIgnored { checkDeclared(property) }
      checkInitAccessor(property)
      checkMarks(property.declaration.attributes)
    }
    for method in model.methods { checkMarks(method.declaration.attributes) }
    checkHooks()
    checkReplacements()
    checkOverriddenAnnouncements()
    checkMuteOverrides()
    ManualPairCheck(model: model, context: context).run()
    AnnouncementCheck(model: model, context: context).run()
    NearMissCheck(model: model, context: context, isRoot: isRoot).run()
  }

  private func checkMarks(_ attributes: AttributeListSyntax) {
    for mark in attributes.undecided(in: model.active)
    where EmittedNames.marks.contains(mark.plainName) {
      context.report(.undecided(mark: mark.plainName), at: mark)
    }
  }

  // MARK: Customisation points

  private func checkHooks() {
    for method in model.methods where method.isDependencyHook || method.isAutomaticHook {
      guard method.hasUnnamedKey, let wildcard = method.parameters.first?.secondName else {
        continue
      }
      let name = wildcard.with(\.tokenKind, .identifier("key"))
      context.report(
        .unnamedKey(method.name), at: wildcard,
        fixIts: [.replace("call it 'key'", wildcard, by: name)])
    }
  }

  // MARK: Replacements

  /// A replacement is in an extension, where the compiler finds no private member; it ignores the replacement
  /// of a property without a diagnostic.
  private func checkReplacements() {
    for property in model.properties where model.announcesItself(property) {
      let variable = property.declaration
      guard let modifier = variable.modifiers.first(where: \.isPrivate) else { continue }
      context.report(
        .privateReplacement(property.name, part: "computed property"), at: variable,
        fixIts: [widening(modifier), .add("@\(EmittedNames.manualAttribute)", to: variable)])
    }
    let replacements = AnnouncingReplacements(model: model)
    for method in model.namedMethods where replacements.isReplaced(method) {
      guard let modifier = method.declaration.modifiers.first(where: \.isPrivate) else { continue }
      context.report(
        .privateReplacement(method.name, part: "method"), at: modifier,
        fixIts: [widening(modifier)])
    }
  }

  /// In Cocoa, the setters of an observed object call these methods, and so do accessors and proxies.
  private func checkOverriddenAnnouncements() {
    guard model.style == .cocoa else { return }
    for method in model.namedMethods where !method.isTypeMethod {
      guard let observer = method.overriddenAnnouncement else { continue }
      // Only a setter of the macro's own calls these in Cocoa.
      if observer.isOfSetters, model.tracked.isEmpty { continue }
      context.report(
        .overriddenAnnouncement(
          observer.name, observer: observer.isOfSetters ? observer.observer : nil),
        at: method.declaration.name)
    }
  }

  /// An override that would announce sets in Cocoa, and does not here.
  private func checkMuteOverrides() {
    for property in model.properties where model.isMuteOverride(property) {
      let variable = property.declaration
      context.report(
        .muteOverride(property.name), at: property.token,
        fixIts: [.addDynamic(to: variable), .add("@\(EmittedNames.manualAttribute)", to: variable)])
    }
  }

  private func widening(_ modifier: DeclModifierSyntax) -> FixIt {
    let wider = modifier.name.with(\.tokenKind, .keyword(.fileprivate))
    return .replace("replace 'private' by 'fileprivate'", modifier.name, by: wider)
  }

  // MARK: Refused properties

  private func report(_ refusal: ObservableProperty.Refusal, _ property: ObservableProperty) {
    let variable = property.declaration
    let marks = [
      FixIt.add("@\(EmittedNames.manualAttribute)", to: variable),
      FixIt.add("@\(EmittedNames.ignoredAttribute)", to: variable),
    ]
    let names = variable.bindings.flatMap { $0.pattern.boundNames.map(\.plainName) }
    switch refusal {
    case .severalBindings:
      context.report(.severalBindings(names), at: variable, fixIts: splitting(variable))
    case .tuplePattern: context.report(.tuplePattern(names), at: variable)
    case .lazy: context.report(.lazy(property.name), at: variable, fixIts: marks)
    case .wrapper(let attribute):
      context.report(
        .wrapper(property.name, attribute: attribute), at: variable, fixIts: marks)
    case .observationIgnored(let attribute):
      let ignored = AttributeSyntax("@\(raw: EmittedNames.ignoredAttribute)")
        .with(\.leadingTrivia, attribute.leadingTrivia)
        .with(\.trailingTrivia, attribute.trailingTrivia)
      context.report(
        .observationIgnored(property.name), at: attribute,
        fixIts: [.replace("replace it by '@KeyValueIgnored'", attribute, by: ignored)])
    case .copying: context.report(.copying(property.name), at: variable, fixIts: marks)
    case .opaque(let type):
      context.report(.opaque(property.name, type: type), at: variable, fixIts: marks)
    case .rawIdentifier:
      context.report(.rawIdentifier(property.name), at: property.token, fixIts: [marks[1]])
    case .effectfulGetter:
      context.report(.effectfulGetter(property.name), at: variable, fixIts: [marks[1]])
    case .isolated(let actor):
      context.report(
        .isolated(property.name, actor: actor), at: variable,
        fixIts: property.attributes.filter(\.isGlobalActor).map(FixIt.remove) + [marks[1]])
    case .nonisolated(let modifier):
      let text = modifier.trimmedDescription
      context.report(
        .nonisolated(property.name, modifier: text), at: variable,
        fixIts: [.removeModifier(modifier, from: variable)] + marks)
    }
  }

  /// The fix-it that declares each property separately; a tuple pattern can't be split.
  private func splitting(_ variable: VariableDeclSyntax) -> [FixIt] {
    guard variable.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) }),
      let item = variable.parent?.as(MemberBlockItemSyntax.self),
      let members = item.parent?.as(MemberBlockItemListSyntax.self),
      let index = members.firstIndex(where: { $0.id == item.id })
    else { return [] }
    let indentation = Trivia.newline + (variable.leadingTrivia.lastLineIndentation)
    let pieces = variable.split.enumerated().map { offset, single in
      MemberBlockItemSyntax(
        decl: single.with(
          \.leadingTrivia, offset == 0 ? variable.leadingTrivia : indentation))
    }
    var list = members
    list.replaceSubrange(index..<list.index(after: index), with: pieces)
    return [.replace("declare each property by itself", members, by: list)]
  }

  /// If a macro writes an observer with a type inside, Swift 6.3 crashes or the program isn't linked.
  private func checkObservers(_ property: ObservableProperty) {
    for name in property.binding.typesInObservers {
      context.report(.typeInObserver(name.text, property: property.name), at: name)
    }
  }

  /// An `init` accessor names stored properties only, and what's stored of an observed one has another name.
  private func checkInitAccessor(_ property: ObservableProperty) {
    for argument in property.binding.storageRestrictions {
      guard let name = argument.as(DeclReferenceExprSyntax.self)?.baseName.plainName,
        let observed = model.property(name), observed.isTracked
      else { continue }
      context.report(
        .initAccessor(property.name, of: name), at: argument,
        fixIts: [.add("@\(EmittedNames.ignoredAttribute)", to: observed.declaration)])
    }
  }

  // MARK: Dependencies

  private func checkInference(_ property: ObservableProperty) {
    // A key without automatic notification needs no dependencies.
    guard DeclaredDependencies(property) == nil, !model.statesDependencies(of: property),
      !property.notifiesManually
    else { return }
    let result = DependencyInference(model: model, isRoot: isRoot).dependencies(of: property)
    let marks = [
      FixIt.add("@DependsOn(<#\"key\"#>)", to: property.declaration),
      FixIt.add("@DependsOn()", to: property.declaration),
    ]
    var seen: Set<String> = []
    for untraced in result.untraced {
      let message: DiagnosticMessage =
        switch untraced.use {
        case .call(let call): .untracedCall(property.name, call: call)
        case .member(let member): .untracedMember(property.name, member: member)
        case .inherited(let member): .untracedInherited(property.name, member: member)
        case .passesSelf(let receiver): .untracedSelf(property.name, receiver: receiver)
        case .sharedObject(let object): .untracedObject(property.name, object: object)
        }
      guard seen.insert(message.message).inserted else { continue }
      context.report(message, at: untraced.node, fixIts: marks)
    }
    if let clock = result.clocks.first {
      let known = result.untraced.isEmpty ? model.strings(for: result.paths) : nil
      let literals = known?.map(\.literal).joined(separator: ", ")
      context.report(
        .readsClock(property.name, clock: clock.source, mark: "@DependsOn(\(literals ?? "…"))"),
        at: clock.node,
        fixIts: [.add("@DependsOn(\(literals ?? "<#\"key\"#>"))", to: property.declaration)])
      return
    }
    guard result.untraced.isEmpty, result.paths.isEmpty, !property.isOverride else { return }
    if property.hasSetter {
      context.report(.nothingKnown(property.name), at: property.token, fixIts: marks)
    } else if let read = result.unnotified.first {
      context.report(
        .noSource(property.name, reads: read.source), at: read.node, fixIts: marks)
    }
  }

  private func checkDeclared(_ property: ObservableProperty) {
    for argument in DeclaredDependencies(property)?.arguments ?? [] {
      switch argument.value {
      case .unreadable: context.report(.dependencyNotLiteral, at: argument.expression)
      case .otherKeyPath:
        context.report(.dependencyNotOfProperties, at: argument.expression)
      case .keyPath(let path):
        if path == property.name {
          context.report(.dependsOnItself(property.name), at: argument.expression)
        } else if let first = path.split(separator: ".").first.map(String.init), first != "self" {
          checkKey(first, of: property, at: argument.expression) {
            argument.expression.as(KeyPathExprSyntax.self)?.renamingFirst($0)
          }
        }
      case .string(let path): check(path, of: property, at: argument.expression)
      }
    }
  }

  private func check(_ path: String, of property: ObservableProperty, at node: ExprSyntax) {
    // A leading `self` is the object itself; a path of `self` alone leads to no key.
    let written = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let named = Array(written.drop { $0 == "self" && !model.keys.contains($0) })
    let components = named.isEmpty ? written : named
    guard let first = components.first, !components.contains(where: \.isEmpty),
      !components.contains("@"), !first.hasPrefix("@"),
      !path.contains(where: \.isWhitespace)
    else { return context.report(.malformedKeyPath(path), at: node) }
    if components == [property.name] {
      return context.report(.dependsOnItself(property.name), at: node)
    }
    for (index, name) in components.enumerated()
    where name.hasPrefix("@") && !KnownNames.collectionOperators.contains(name) {
      let nearest = nearestName(to: name, among: KnownNames.collectionOperators)
      context.report(
        .unknownOperator(name, nearest: nearest), at: node,
        fixIts: fixIt(name, nearest, at: node) {
          replacing(index, of: components, by: $0, at: node)
        })
      return
    }
    checkKey(first, of: property, at: node) { replacing(0, of: components, by: $0, at: node) }
  }

  /// Reports the first key of a property's dependency, if the class can't have it.
  private func checkKey(
    _ key: String, of property: ObservableProperty, at node: ExprSyntax,
    renamed: (String) -> (some ExprSyntaxProtocol)?
  ) {
    guard !model.hasInheritanceClause, !model.keys.contains(key) else { return }
    let nearest = nearestName(to: key, among: model.keys.filter { $0 != property.name }.sorted())
    let isCertain = !model.methods.contains { $0.answersUndefinedKeys || $0.answersKeys }
    guard isCertain || nearest != nil else { return }
    context.report(
      .unknownDependency(key, type: model.name, nearest: nearest, isCertain: isCertain), at: node,
      fixIts: fixIt(key, nearest, at: node, renamed))
  }

  /// The fix-it that replaces one component of a key path; none without another name.
  private func fixIt(
    _ name: String, _ nearest: String?, at node: ExprSyntax,
    _ renamed: (String) -> (some ExprSyntaxProtocol)?
  ) -> [FixIt] {
    guard let nearest, let replacement = renamed(nearest) else { return [] }
    return [.replace("replace '\(name)' by '\(nearest)'", node, by: replacement)]
  }

  /// A key path's literal with another name in place of one component.
  private func replacing(
    _ index: Int, of components: [String], by name: String, at node: ExprSyntax
  ) -> ExprSyntax? {
    var replaced = components
    replaced[index] = name
    return ExprSyntax("\(raw: replaced.joined(separator: ".").literal)")
      .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }
}

extension ObservableClass {
  /// Whether a class function, for this key or for all keys, states the property's dependencies, or
  /// that the property announces itself.
  func statesDependencies(of property: ObservableProperty) -> Bool {
    let own = Self.customisations.map { $0 + property.name.capitalisedFirst }
    return customisingProperties.contains { own.contains($0) }
      || namedMethods.contains { method in
        method.isDependencyHook
          || method.isTypeMethod && method.parameters.isEmpty && own.contains(method.name)
      }
  }

  /// Inferred paths as `@DependsOn` takes them: without members of values.
  ///
  /// Nil if a path may lead to a member of a value.
  fileprivate func strings(for paths: [String]) -> [String]? {
    var strings: [String] = []
    for path in paths {
      let names = path.split(separator: ".").map(String.init)
      let isOfValue = property(names[0]).map { evidence(of: $0.binding) == .value } ?? false
      if names.count > 1, !isOfValue { return nil }
      if !strings.contains(names[0]) { strings.append(names[0]) }
    }
    return strings
  }

  /// The keys in the class's body: properties, and methods that implement one.
  var keys: Set<String> {
    var keys = Set(properties.filter(\.isKey).map(\.name))
    for method in namedMethods where !method.isTypeMethod {
      if let shape = CollectionAccessorShape.of(method) {
        keys.insert(key(forSuffix: shape.suffix))
      } else if method.parameters.isEmpty, method.result != nil {
        keys.insert(method.name)
        for prefix in ["get", "is"] {
          if let suffix = method.name.suffix(after: prefix) { keys.insert(key(forSuffix: suffix)) }
        }
      }
    }
    return keys
  }
}

extension ObservableMethod {
  /// What an override of one of the announcing methods is called, what to write instead, and whether Cocoa's
  /// setters call it; nil for any other method.
  fileprivate var overriddenAnnouncement: (name: String, observer: String, isOfSetters: Bool)? {
    let observer = name.hasPrefix("will") ? "willSet" : "didSet"
    switch (name, labels) {
    case ("willChangeValue", ["forKey"]), ("didChangeValue", ["forKey"]):
      return ("\(name)(forKey:)", observer, true)
    case ("willChange", ["_", "valuesAt", "forKey"]), ("didChange", ["_", "valuesAt", "forKey"]),
      ("willChangeValue", ["forKey", "withSetMutation", "using"]),
      ("didChangeValue", ["forKey", "withSetMutation", "using"]):
      return ("\(name)(\(labels.map { $0 + ":" }.joined()))", observer, false)
    default: return nil
    }
  }
}

extension MacroExpansionContext {
  /// Reports a problem with its fix-its.
  func report(
    _ message: DiagnosticMessage, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}

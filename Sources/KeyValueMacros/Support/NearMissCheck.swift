import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds members that resemble those that Cocoa finds by name, but don't match.
struct NearMissCheck {
  let model: ObservableClass
  let context: any MacroExpansionContext
  /// Whether no superclass is observable, so that no key is inherited.
  let isRoot: Bool
  private let keys: Set<String>
  /// The labels of the collection accessors, by the capitalised key.
  private let accessors: [String: [String]]
  /// The keys that are visibly to-many, by their type or by an accessor that counts their elements.
  private let toManyKeys: [String]

  init(model: ObservableClass, context: any MacroExpansionContext, isRoot: Bool) {
    self.model = model
    self.context = context
    self.isRoot = isRoot
    keys = model.keys
    let shapes = model.namedMethods.compactMap(CollectionAccessorShape.of)
    accessors = Dictionary(grouping: shapes, by: \.suffix).mapValues { $0.map(\.label) }
    toManyKeys =
      model.properties.filter { $0.isKey && $0.binding.isVisiblyCollection }.map(\.name)
      + shapes.filter { $0.label == "count" }.map { model.key(forSuffix: $0.suffix) }
  }

  func run() {
    for (name, type) in model.typesOfKeysAsObjects.sorted(by: {
      $0.value.position < $1.value.position
    }) {
      let strings = TypeSyntax("Set<String>").with(\.trailingTrivia, type.trailingTrivia)
      context.report(
        .keysAsObjects(name), at: type,
        fixIts: [.replace("return 'Set<String>'", type, by: strings)])
    }
    for method in model.namedMethods {
      customisation(method)
      validator(method)
      if !method.isTypeMethod { collectionAccessor(method) }
    }
    for member in model.declaration.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
      if model.style == .cocoa, variable.modifiers.isTypeMember {
        misspelt(variable)
        continue
      }
      for name in variable.bindings.flatMap(\.pattern.boundNames)
      where ObservableClass.customisations.contains(where: {
        name.plainName.suffix(after: $0) != nil
      }) {
        context.report(
          .nearMiss(name.plainName, .customisation, .isProperty(name.plainName)), at: name)
      }
    }
  }

  /// Reports a class property that Cocoa would take for a customisation point, if it were spelt so.
  private func misspelt(_ variable: VariableDeclSyntax) {
    for name in variable.bindings.flatMap(\.pattern.boundNames) {
      let text = name.plainName
      guard !ObservableClass.customisations.contains(where: text.hasPrefix),
        let near = ObservableClass.customisations.first(where: { isNear(text, $0) })
      else { continue }
      context.report(.nearMiss(text, .customisation, .spelling("\(near)<Key>")), at: name)
    }
  }

  // MARK: Class functions

  private func customisation(_ method: ObservableMethod) {
    let name = method.name
    let isRequirement = model.style == .cocoa && method.isAutomaticRequirement
    if method.isDependencyHook || method.isAutomaticHook || isRequirement { return }
    for (general, start) in [
      (EmittedNames.dependencyHook, "keyPathsFor"),
      (EmittedNames.automaticHook, "automaticallyNotifies"),
    ] where name.hasPrefix(start) {
      let expected = "\(general)(\(EmittedNames.keyLabel):)"
      if method.labels == [EmittedNames.keyLabel] {
        // The label is right; the modifier is missing, or the name is misspelt.
        if name == general { return report(method, .customisation, .isInstance) }
        return report(method, .customisation, .spelling(expected))
      }
      // Without a parameter it concerns a key called `value`.
      if name == general && !method.parameters.isEmpty || name.hasPrefix(general + "ForKey") {
        return report(method, .customisation, .spelling(expected))
      }
    }
    guard let prefix = ObservableClass.customisations.first(where: name.hasPrefix) else {
      if let near = ObservableClass.customisations.first(where: { isNear(name, $0) }) {
        report(method, .customisation, .spelling("\(near)<Key>()"))
      }
      return
    }
    guard !method.isTypeMethod || !method.parameters.isEmpty else {
      if method.effects != nil { return report(method, .customisation, .effectful) }
      if method.isGeneric { return report(method, .customisation, .generic) }
      return knownKey(method, prefix, .customisation)
    }
    report(method, .customisation, method.isTypeMethod ? .takesParameters : .isInstance)
  }

  /// Whether a name begins like a customisation point, except for a letter or two.
  private func isNear(_ name: String, _ prefix: String) -> Bool {
    (-2...2).contains { difference in
      name.count >= prefix.count + difference
        && nearestName(
          to: String(name.prefix(prefix.count + difference)), among: [prefix], limit: 2) != nil
    }
  }

  /// Reports a method with a suffix that isn't a key, and the nearest key.
  private func knownKey(_ method: ObservableMethod, _ prefix: String, _ part: NearMissPart) {
    let suffix = String(method.name.dropFirst(prefix.count))
    let key = model.key(forSuffix: suffix)
    guard let first = suffix.first, !first.isLowercase else {
      let name = suffix.isEmpty ? "<Key>" : suffix.capitalisedFirst
      return report(method, part, .spelling(prefix + name + "()"))
    }
    // An inherited key may have the name.
    guard isRoot, !keys.contains(key) else { return }
    let nearest = nearestName(to: key, among: keys.sorted())
    report(
      method, part, .unknownKey(key, type: model.name),
      renamed: nearest.map { prefix + $0.capitalisedFirst })
  }

  // MARK: Validators

  private func validator(_ method: ObservableMethod) {
    guard method.name.hasPrefix("validate"), method.parameters.count == 1,
      let parameter = method.parameters.first
    else { return }
    let type = parameter.type.trimmedDescription
    let isInout =
      type.hasPrefix("inout ")
      || model.style == .cocoa && type.hasPrefix("AutoreleasingUnsafeMutablePointer<")
    guard isInout || method.isThrowing && method.result == nil && method.labels == ["_"] else {
      return
    }
    guard let suffix = method.name.suffix(after: "validate") else {
      return lowerCaseValidator(method)
    }
    let isKnown = keys.contains(model.key(forSuffix: suffix))
    if method.isTypeMethod {
      if isInout, isKnown { report(method, .validator, .isType) }
    } else if isInout, method.labels == ["_"], method.result == nil {
      if isKnown, method.isAsync { return report(method, .validator, .suspends) }
      if isKnown, let reason = isolation(of: method) {
        return report(method, .validator, reason)
      }
      if method.isGeneric {
        if isKnown { report(method, .validator, .generic) }
        return
      }
      // A validator refuses a value by throwing; without that, only the key shows that it's one.
      let key = model.key(forSuffix: suffix)
      guard method.isThrowing || nearestName(to: key, among: keys.sorted()) != nil else {
        return
      }
      knownKey(method, "validate", .validator)
      validatedType(parameter.type, method, key)
    } else if isKnown, !method.isGeneric {
      let reason: NearMissReason =
        !isInout ? .notInout : method.result != nil ? .returns : .label(expected: "_")
      report(method, .validator, reason)
    }
  }

  /// Reports `validateage(_:)`, where the key begins with a capital letter: `validateAge(_:)`.
  private func lowerCaseValidator(_ method: ObservableMethod) {
    let rest = method.name.dropFirst("validate".count)
    // `validated(_:)` and `validates(_:)` are words of their own: only what reads like a key counts.
    guard !method.isTypeMethod, rest.count > 1,
      let key = nearestName(to: String(rest), among: keys.sorted(), limit: rest.count / 4)
    else { return }
    report(
      method, .validator, .spelling("validate\(key.capitalisedFirst)(_:)"),
      replacement: "validate" + key.capitalisedFirst)
  }

  /// Reports a validator of another type than the key's, if both are visibly of the standard library's types.
  private func validatedType(
    _ parameter: TypeSyntax, _ method: ObservableMethod, _ key: String
  ) {
    guard let binding = model.property(key)?.binding, let type = binding.standardType,
      let attributed = parameter.as(AttributedTypeSyntax.self),
      let given = attributed.baseType.standardType, given != type
    else { return }
    let written =
      binding.typeAnnotation?.type.trimmed ?? TypeSyntax(IdentifierTypeSyntax(name: "\(raw: type)"))
    let new = written.with(\.leadingTrivia, attributed.baseType.leadingTrivia)
      .with(\.trailingTrivia, attributed.baseType.trailingTrivia)
    context.report(
      .validatorOfOtherType(
        method.signature, takes: attributed.baseType.trimmedDescription, key: key,
        type: written.trimmedDescription),
      at: attributed.baseType,
      fixIts: [
        .replace("write 'inout \(written.trimmedDescription)'", attributed.baseType, by: new)
      ])
  }

  // MARK: Collection accessors

  private func collectionAccessor(_ method: ObservableMethod) {
    if let shape = CollectionAccessorShape.named(method) {
      guard isDistinctive(method) else { return }
      if let reason = obstacle(of: method),
        toManyKeys.contains(model.key(forSuffix: shape.suffix))
      {
        return report(method, .accessor, reason)
      }
      return accessor(method, of: shape.suffix)
    }
    let labels = method.labels
    let count = labels.count
    // The selectors of Objective-C are accessors too.
    if (labels + [method.name]).contains(where: {
      $0.hasSuffix("AtIndex") || $0.hasSuffix("AtIndexes")
    }) {
      return
    }
    if let suffix = method.name.suffix(after: "countOf"), count == 0, method.result != nil {
      if isCollection(suffix) { report(method, .accessor, .resultNotInt) }
    } else if let suffix = method.name.suffix(after: "objectIn"), count == 1 {
      if let key = meantKey(suffix + (labels[0] == "at" ? "At" : ""), method.parameters[0]) {
        report(method, .accessor, .spelling("objectIn\(key)(at: Int)"))
      }
    } else if method.name == "insertObject", count == 2,
      let suffix = suffix(of: labels[1], ["into", "in"]),
      let key = meantKey(suffix, method.parameters[1])
    {
      report(method, .accessor, .spelling("insertObject(_:in\(key)At: Int)"))
    } else if method.name == "removeObject", count == 1,
      let suffix = suffix(of: labels[0], ["from", "in"]),
      let key = meantKey(suffix, method.parameters[0])
    {
      report(method, .accessor, .spelling("removeObject(from\(key)At: Int)"))
    } else if method.name == "replaceObject", count == 2,
      let suffix = suffix(of: labels[0], ["in", "from"]),
      let key = meantKey(suffix, method.parameters[0])
    {
      report(method, .accessor, .spelling("replaceObject(in\(key)At: Int, with:)"))
    }
  }

  /// Why a method with an accessor's name is none; nil if it's one.
  private func obstacle(of method: ObservableMethod) -> NearMissReason? {
    if method.isGeneric { return .generic }
    if method.effects != nil { return .effectful }
    if let type = method.unusableParameter { return .takes(type) }
    return isolation(of: method)
  }

  /// The capitalised key of an accessor that's probably meant, given the end of its name or label.
  ///
  /// An accessor takes an index of a to-many key, which the parameter's type or the word `At` shows.
  /// Where the macro doesn't know whether a key is to-many, both have to show it.
  private func meantKey(_ suffix: String, _ parameter: FunctionParameterSyntax) -> String? {
    let isAt = suffix.hasSuffix("At") && suffix.count > 2
    let isIndex = parameter.type.isIndex
    guard isAt || isIndex else { return nil }
    let name = isAt ? String(suffix.dropLast(2)) : suffix
    let key = model.key(forSuffix: name)
    if let known = nearestName(to: key, among: toManyKeys) { return known.capitalisedFirst }
    return isAt && isIndex && (!isRoot || keys.contains(key)) ? name : nil
  }

  /// The end of a label such as `inTransactionsAt`.
  private func suffix(of label: String, _ prefixes: [String]) -> String? {
    prefixes.lazy.compactMap { label.suffix(after: $0) }.first
  }

  /// Whether only collection accessors have such a name.
  private func isDistinctive(_ method: ObservableMethod) -> Bool {
    ["insertObject", "removeObject", "replaceObject"].contains(method.name)
      || method.name.suffix(after: "countOf") != nil || method.name.suffix(after: "objectIn") != nil
  }

  /// Reports an accessor of a key that has no property and isn't readable through accessors either.
  private func accessor(_ method: ObservableMethod, of suffix: String) {
    let key = model.key(forSuffix: suffix)
    guard isRoot, model.property(key) == nil else { return }
    let labels = accessors[suffix] ?? []
    let isReadable = labels.contains("count") && labels.contains { $0 != "count" }
    guard !isReadable else { return }
    guard let nearest = nearestName(to: key, among: toManyKeys.filter { $0 != key }) else { return }
    report(
      method, .accessor, .unknownKey(key, type: model.name),
      suggestion: method.signature.replacing(suffix, with: nearest.capitalisedFirst))
  }

  private func isCollection(_ suffix: String) -> Bool {
    model.property(model.key(forSuffix: suffix))?.binding.isVisiblyCollection == true
  }

  // MARK: Reports

  private func isolation(of method: ObservableMethod) -> NearMissReason? {
    method.isolation(apartFrom: model).map { .isolated($0.plainName) }
  }

  /// Reports a method; the message suggests the name `renamed`, and only a fix-it `replacement`.
  private func report(
    _ method: ObservableMethod, _ part: NearMissPart, _ reason: NearMissReason,
    suggestion: String? = nil, renamed: String? = nil, replacement: String? = nil
  ) {
    let token = method.declaration.name
    var fixIts: [FixIt] = []
    var suggestion = suggestion
    if let renamed { suggestion = ObservableMethod.signature(renamed, method.labels) }
    if let name = renamed ?? replacement {
      let new = token.with(\.tokenKind, .identifier(name))
      fixIts = [.replace("replace '\(token.text)' by '\(name)'", token, by: new)]
    } else if case .isInstance = reason {
      let modifier = model.isFinal ? "static" : "class"
      fixIts = [.add(modifier: modifier, to: method.declaration)]
    } else if case .notInout = reason, let type = method.parameters.first?.type {
      let new = TypeSyntax("inout \(type.trimmed)")
      fixIts = [.replace("add 'inout'", type, by: new)]
    } else if case .isolated = reason, let attribute = method.isolation(apartFrom: model) {
      fixIts = [.remove(attribute)]
    }
    context.report(
      .nearMiss(method.signature, part, reason, suggestion: suggestion), at: token, fixIts: fixIts)
  }
}

extension ObservableMethod {
  /// The name with its labels, as in `validateAge(_:)`.
  var signature: String { Self.signature(name, labels) }

  fileprivate static func signature(_ name: String, _ labels: [String]) -> String {
    "\(name)(\(labels.map { $0 + ":" }.joined()))"
  }
}

extension TypeSyntax {
  /// Whether the type is, or has the name of, an index or a set of indexes.
  fileprivate var isIndex: Bool {
    let type = trimmedDescription
    if type.hasSuffix("RangeSet<Int>") || type == "Range<Int>" { return true }
    let last = type.split(separator: ".").last.map(String.init) ?? type
    return [
      "Int", "UInt", "Int32", "UInt32", "Int64", "UInt64", "Index", "NSInteger", "NSUInteger",
      "IndexSet", "NSIndexSet",
    ].contains(last)
  }
}

extension FixIt {
  /// Adds a modifier before a function's `func`.
  fileprivate static func add(modifier: String, to function: FunctionDeclSyntax) -> FixIt {
    let keyword = function.funcKeyword
    let text = TokenSyntax.identifier(
      "\(modifier) func", leadingTrivia: keyword.leadingTrivia,
      trailingTrivia: keyword.trailingTrivia)
    return .replace("add '\(modifier)'", keyword, by: text)
  }
}

import SwiftSyntax

// What compiles, and does something other than in Cocoa without a word: it's listed.
extension FilePorting {
  // MARK: Casts

  /// A cast that's nil, or empty, for values that Cocoa casts.
  func checkCast(_ node: TypeExprSyntax) {
    guard let operand = node.partsOfCast?.operand else { return }
    let type = node.type.trimmedDescription.filter { $0 != "?" && $0 != "!" }
    if type == "Set" || type.hasPrefix("Set<"), isProxy(operand, of: "mutableSetValue") {
      remark(operand, "a proxy's cast to Set is empty on Linux: use its allObjects")
    }
  }

  /// A loop over a proxy that Foundation finds nothing in.
  func checkLoop(_ node: ForStmtSyntax) {
    if isProxy(node.sequence, of: "mutableOrderedSetValue") {
      remark(node.sequence, "a loop over an ordered set's proxy: loop over its array")
    }
  }

  /// What finds nothing in an ordered set's proxy, as a loop does.
  func checkSequence(_ node: MemberAccessExprSyntax, _ base: ExprSyntax) {
    let members: Set<String> = [
      "map", "compactMap", "flatMap", "forEach", "filter", "reduce", "contains", "first", "sorted",
      "enumerated", "allSatisfy", "min", "max", "makeIterator", "reversed", "dropFirst", "prefix",
    ]
    guard members.contains(node.declName.baseName.text),
      let call = node.parent?.as(FunctionCallExprSyntax.self),
      // Methods of ordered sets have the same names, and take an object.
      call.arguments.first.map({
        $0.label?.text == "where" || $0.expression.is(ClosureExprSyntax.self)
      })
        ?? true,
      isProxy(base, of: "mutableOrderedSetValue")
    else { return }
    remark(
      node, "a sequence's method finds nothing in an ordered set's proxy: call it on its array")
  }

  private func isProxy(_ expression: ExprSyntax, of method: String) -> Bool {
    valueType(of: expression).content == .proxy(method)
  }

  // MARK: Calls

  func checkSilence(_ node: FunctionCallExprSyntax, _ name: String, _ labels: String) {
    switch "\(name)(\(labels))" {
    case "Array(_:)", "Set(_:)", "NSOrderedSet(orderedSet:)", "NSMutableOrderedSet(orderedSet:)":
      if let argument = node.arguments.first?.expression,
        isProxy(argument, of: "mutableOrderedSetValue")
      {
        remark(node, "'\(name)' can't read an ordered set's proxy: give it the proxy's array")
      }
    case "UserDefaults(suiteName:)":
      remark(
        node, "what another process changes in this suite isn't announced: tell this one of it")
    case "isKind(of:)", "isMember(of:)":
      guard !isPorted,
        let type = node.arguments.first?.expression.as(MemberAccessExprSyntax.self),
        let base = type.base?.as(DeclReferenceExprSyntax.self), base.baseName.text == "NSObject"
      else { return }
      replace(.casts, base, by: "Foundation.NSObject")
    case "removeObserver(_:)":
      guard node.arguments.first?.expression.trimmedDescription == "self" else { return }
      remark(
        node,
        "'removeObserver(self)' removes no token of addObserver(forName:object:queue:using:): remove each "
          + "token")
    case "addChild(_:withPendingUnitCount:)":
      let child = node.arguments.first?.expression.trimmedDescription ?? ""
      if isNamedLikeTask(node.arguments.first?.expression, child), child.hasSuffix(".progress") {
        remark(
          node,
          "'\(child)', if it's a URLSessionTask's, is Foundation's and notifies no observers: report "
            + "progress from the session's delegate")
      }
    case "willChangeValue(forKey:)", "willChange(_:valuesAt:forKey:)",
      "willChangeValue(forKey:withSetMutation:using:)":
      checkAnnouncement(node)
      checkSettings(node)
    default:
      if node.takesFormat,
        node.arguments.first?.expression.literalOutsideOfQuotes?.contains("/") == true
      {
        remark(node, "in a format, '/' keeps the fraction of two integers; Cocoa drops it")
      }
    }
  }

  /// An announcement of a key that the attribute doesn't see, and the class doesn't have.
  private func checkAnnouncement(_ node: FunctionCallExprSyntax) {
    guard let scope = scopes.last(where: { !$0.isFunction }),
      let argument = node.arguments.first(where: { $0.label?.text == "forKey" })?.expression,
      !isGiven(argument),
      let key = argument.literalText ?? argument.lastName.flatMap(classes.constant)
    else { return }
    guard node.calledExpression.ownName(["super"]) != nil else {
      return checkAnnouncement(node, of: key)
    }
    guard scope.isObserved, let type = scope.name, !classes.declares(key, type) else { return }
    if scope.isExtension {
      remark(
        node,
        "the key '\(key)' has no property, and the attribute doesn't see an extension: announce it in the "
          + "class's body, or observers are refused before the first announcement")
    } else if argument.literalText == nil {
      remark(
        node,
        "the key '\(key)' has no property, and the attribute doesn't see its constant: declare the constant in "
          + "the class's body, or an observer of a misspelt key is accepted")
    }
  }

  /// An announcement of another object's key.
  private func checkAnnouncement(_ node: FunctionCallExprSyntax, of key: String) {
    guard let base = node.calledExpression.as(MemberAccessExprSyntax.self)?.base,
      case .named(let type) = valueType(of: base).content, type != ownType,
      classes.knows(type), classes.root(of: type) != nil, !classes.declares(key, type)
    else { return }
    remark(
      node,
      "the key '\(key)' has no property, and the attribute of '\(type)' doesn't see this: announce it in that "
        + "class's body, or observers are refused before the first announcement")
  }

  /// Whether a variable's value comes from a caller.
  private func isGiven(_ argument: ExprSyntax) -> Bool {
    guard let name = argument.as(DeclReferenceExprSyntax.self)?.baseName.text, isLocal(name) else {
      return false
    }
    return valueType(of: argument).content != .plain
  }

  /// An announcement of a setting, which does nothing.
  private func checkSettings(_ node: FunctionCallExprSyntax) {
    let base = node.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription ?? ""
    let isOwn = ["", "self", "super"].contains(base)
    guard base.lowercased().contains("defaults") || isOwn && ownType == "UserDefaults" else {
      return
    }
    remark(node, "settings announce themselves, when they are set: this call does nothing")
  }

  // MARK: Members

  func checkMember(_ node: MemberAccessExprSyntax) {
    guard let base = node.base else { return }
    checkSequence(node, base)
    checkDescriptor(node, base)
    // Members of the optional itself, and of every value.
    let isOwn = ["map", "flatMap", "self"].contains(node.declName.baseName.text)
    guard valueType(of: base) == ValueType(.anyObject), !isOwn else { return }
    let isCoding = ["value", "setValue"].contains(node.declName.baseName.text)
    remark(
      node,
      "a member of AnyObject, which only Objective-C finds: cast to "
        + (isCoding ? "Foundation.NSObject, which has it" : "the class, or to a protocol"))
  }

  /// A getter's key that's announced although the class doesn't say that it depends on what is read.
  func checkGetter(_ node: VariableDeclSyntax, _ name: String) {
    guard let scope = scopes.last, scope.isObservedBody, let type = scope.name,
      let getter = node.bindings.first?.onlyGetter, !node.modifiers.isOfType,
      classes.declaresKey(name, type), !Self.descriptions.contains(name),
      !classes.announces(name, type)
    else { return }
    let reads = GetterReads(getter, of: name, in: type, classes).reads
      .filter { !classes.states(name, dependsOn: $0.path, in: type) }
    let own = reads.filter { !$0.isOfElements }.map { "'\($0.path)'" }
    if !own.isEmpty {
      remark(
        node,
        "'\(name)' is announced when \(own.joined(separator: " or ")) changes, which its getter reads; Cocoa "
          + "announces it if the class says so: state it, or switch it off by "
          + "automaticallyNotifiesObservers(forKey:)")
    }
    let ofElements = reads.filter(\.isOfElements).map { "'\($0.path)'" }
    if !ofElements.isEmpty {
      remark(
        node,
        "'\(name)' is announced when \(ofElements.joined(separator: " or ")) changes, a key of elements that its "
          + "getter reads; Cocoa doesn't announce that: switch it off by "
          + "automaticallyNotifiesObservers(forKey:) if it matters")
    }
  }

  /// Every object has them, and nearly none is observed.
  private static let descriptions: Set<String> = ["description", "debugDescription", "hash"]

  /// A class whose objects are archived under a name that it doesn't have here.
  func checkArchives(_ node: ClassDeclSyntax) {
    let name = node.name.text
    guard classes.members.inherits(name, from: ["NSCoding", "NSSecureCoding"]) else { return }
    if let archived = node.attributes.objectiveCSelector {
      remark(
        node,
        "archives have '\(archived)' as the class's name: NSKeyedUnarchiver.setClass(\(name).self, "
          + "forClassName: \"\(archived)\") reads them")
    }
    if !scopes.isEmpty {
      remark(
        node,
        "'\(name)' is nested, and the archiver of Foundation on Linux ends the program at such a class: move "
          + "it out if it's archived")
    }
  }

  /// The name that Objective-C gives a getter or a setter.
  func checkAccessor(_ node: AccessorDeclSyntax) {
    removeAttributes(node.attributes, of: "", isType: true)
    let property = node.parent?.parent?.parent?.as(PatternBindingSyntax.self)?.pattern
    guard node.accessorSpecifier.text == "get", let selector = node.attributes.objectiveCSelector,
      selector != property?.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return }
    remark(node, "no key path finds '\(selector)': write the property's name in its place")
  }

  /// An override whose code runs at another time.
  func checkObservers(_ node: VariableDeclSyntax, _ name: String) {
    guard node.modifiers.has("override"), let binding = node.bindings.first,
      classes.inheritsDynamic(name, from: superclassOfScope(node))
    else { return }
    if binding.has("didSet") {
      remark(
        node,
        "the observers of '\(name)' are called before this didSet, and in Cocoa after it: move it to the "
          + "property that's overridden if they read what it sets")
    } else if binding.has("willSet") {
      remark(
        node,
        "observers with the option 'prior' are called after this willSet, and in Cocoa before it")
    } else if binding.setsSuper(name), binding.setterCount != 1 {
      remark(
        node,
        "the superclass announces '\(name)' where it's set: what else this setter does isn't between the two "
          + "announcements, and in Cocoa it is")
    }
  }
}

extension MemberAccessExprSyntax {
  /// Whether the type is one that `isKind(of:)` compares with, which means Foundation's.
  var isKind: Bool {
    guard let metatype = parent?.as(MemberAccessExprSyntax.self),
      let label = metatype.parent?.as(LabeledExprSyntax.self)?.label?.text, label == "of",
      let call = metatype.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
    else { return false }
    return ["isKind", "isMember"].contains(call.calledExpression.calledName)
  }
}

extension TypeExprSyntax {
  /// What's cast, and the operator that casts it.
  var partsOfCast: (operand: ExprSyntax, word: ExprSyntax)? {
    guard let list = parent?.as(ExprListSyntax.self) else { return nil }
    let elements = Array(list)
    guard let index = elements.firstIndex(where: { $0.id == ExprSyntax(self).id }), index > 1 else {
      return nil
    }
    return (elements[index - 2], elements[index - 1])
  }
}

extension FunctionCallExprSyntax {
  /// Whether the call makes a predicate or an expression by a format, whose arguments may have any type.
  var takesFormat: Bool {
    let base = calledExpression.as(MemberAccessExprSyntax.self)?.base
    let name = calledExpression.calledName
    let type = name == "init" ? base?.calledName : name
    return ["NSPredicate", "NSExpression", "NSCompoundPredicate"].contains(type ?? "")
      && arguments.first?.label?.text == "format"
  }
}

extension VariableDeclSyntax {
  /// Whether `@objcMembers` makes the property a key.
  var isExposable: Bool {
    !modifiers.has("private") && !modifiers.has("fileprivate")
      && !attributes.has("nonobjc")
  }
}

extension PatternBindingSyntax {
  fileprivate func has(_ specifier: String) -> Bool {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return false }
    return accessors.contains { $0.accessorSpecifier.text == specifier }
  }

  /// The code of a getter.
  var getter: CodeBlockItemListSyntax? {
    if case .getter(let items) = accessorBlock?.accessors { return items }
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.first { $0.accessorSpecifier.text == "get" }?.body?.statements
  }

  /// The code of a getter without a setter.
  fileprivate var onlyGetter: CodeBlockItemListSyntax? {
    if case .getter(let items) = accessorBlock?.accessors { return items }
    guard case .accessors(let accessors) = accessorBlock?.accessors, accessors.count == 1,
      let getter = accessors.first, getter.accessorSpecifier.text == "get"
    else { return nil }
    return getter.body?.statements
  }
}

extension ExprSyntax {
  /// The text of a literal without interpolations.
  var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }

  /// The name of what the expression reads, without `rawValue`; nil for anything but names.
  fileprivate var lastName: String? {
    if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.text }
    guard let member = self.as(MemberAccessExprSyntax.self) else { return nil }
    let name = member.declName.baseName.text
    return name == "rawValue" ? member.base?.lastName : name
  }

  /// A literal's text without what's quoted in it.
  fileprivate var literalOutsideOfQuotes: String? {
    guard let text = literalText else { return nil }
    var (result, quote): (String, Character?) = ("", nil)
    for character in text {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else {
        result.append(character)
      }
    }
    return result
  }
}

import SwiftSyntax

/// What a value is, as far as its declaration shows.
struct ValueType: Equatable {
  enum Content: Equatable {
    /// A class, or another type, by the last part of its name.
    case named(String)
    /// A literal's value, or one without a static type, whose keys announce nothing to a getter that reads them.
    case plain
    /// An object of any class, whose members only Objective-C finds.
    case anyObject
    /// A `URLSessionTask`, or its progress, which are Foundation's and can't be observed.
    case task
    /// A collection that changes another object's, by the name of the method that made it.
    case proxy(String)
    case unknown
  }

  /// What the value is, or what its elements are.
  let content: Content
  let isCollection: Bool

  /// The type's name, if it has one.
  var name: String? { if case .named(let name) = content { name } else { nil } }

  init(_ content: Content, isCollection: Bool = false) {
    self.content = content
    self.isCollection = isCollection
  }

  init(_ binding: PatternBindingSyntax) {
    if let type = binding.typeAnnotation?.type {
      self.init(type)
    } else if let value = binding.initializer?.value {
      self.init(value)
    } else {
      self.init(.unknown)
    }
  }

  init?(_ type: TypeSyntax?) {
    guard let type else { return nil }
    self.init(type)
  }

  init(_ type: TypeSyntax) {
    if let type = type.as(OptionalTypeSyntax.self) {
      self.init(type.wrappedType)
    } else if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      self.init(type.wrappedType)
    } else if let type = type.as(ArrayTypeSyntax.self) {
      self.init(Self(type.element).content, isCollection: true)
    } else if type.is(DictionaryTypeSyntax.self) {
      // The values of a dictionary aren't observed.
      self.init(.plain, isCollection: true)
    } else if let type = type.as(IdentifierTypeSyntax.self) {
      self.init(type)
    } else if let type = type.as(AttributedTypeSyntax.self) {
      self.init(type.baseType)
    } else if let type = type.as(SomeOrAnyTypeSyntax.self) {
      self.init(type.constraint)
    } else if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
      let type = tuple.elements.first?.type
    {
      self.init(type)
    } else {
      self.init(type.className.map(Self.content) ?? .unknown)
    }
  }

  private init(_ type: IdentifierTypeSyntax) {
    let name = type.name.text
    let arguments = type.genericArgumentClause?.arguments.compactMap {
      Syntax($0.argument).as(TypeSyntax.self)
    }
    if Self.generic.contains(name),
      let element = arguments?.last
    {
      self.init(Self(element).content, isCollection: true)
    } else if Self.generic.contains(name) {
      self.init(.unknown, isCollection: true)
    } else if name == "Optional", let wrapped = arguments?.first {
      self.init(wrapped)
    } else if Self.collections.contains(name) {
      self.init(.plain, isCollection: true)
    } else {
      self.init(Self.content(name))
    }
  }

  private static func content(_ name: String) -> Content {
    switch name {
    case "AnyObject": .anyObject
    case "Any", "NSObject": .plain
    default: isTask(name) ? .task : .named(name)
    }
  }

  static func isTask(_ type: some StringProtocol) -> Bool {
    type.hasPrefix("URLSession") && type.hasSuffix("Task")
  }

  /// Swift's collections of one type of elements.
  private static let generic: Set<String> = ["Array", "Set", "ContiguousArray"]

  /// Dictionaries, and Foundation's collections, whose elements have no type.
  private static let collections: Set<String> = [
    "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet",
    "NSDictionary", "NSMutableDictionary", "Dictionary",
  ]

  init(_ value: ExprSyntax) {
    if value.isLiteral {
      self.init(.plain)
    } else if let list = value.as(ArrayExprSyntax.self) {
      self.init(
        list.elements.first.map { Self($0.expression).content } ?? .unknown, isCollection: true)
    } else if let list = value.as(SequenceExprSyntax.self)?.elements,
      let type = list.last?.as(TypeExprSyntax.self)?.type
    {
      self.init(type)
    } else if let call = value.as(FunctionCallExprSyntax.self) {
      self.init(ofCall: call)
    } else if value.ownerOfProgress?.calledName?.lowercased().hasSuffix("task") == true {
      // What is named like a task is mostly one.
      self.init(.task)
    } else if let member = value.as(MemberAccessExprSyntax.self),
      let name = member.base?.typeName
    {
      // `Settings.shared` is mostly one of its type.
      self.init(.named(name))
    } else {
      self.init(.unknown)
    }
  }

  private init(ofCall call: FunctionCallExprSyntax) {
    let callee = call.calledExpression
    if let list = callee.as(ArrayExprSyntax.self) {
      let name = list.elements.first?.expression.typeName
      self.init(name.map { .named($0) } ?? .unknown, isCollection: true)
    } else if let generic = callee.as(GenericSpecializationExprSyntax.self) {
      let element = generic.genericArgumentClause.arguments.last.flatMap {
        Syntax($0.argument).as(TypeSyntax.self)
      }
      self.init(element.map { Self($0).content } ?? .unknown, isCollection: true)
    } else if let name = callee.typeName, Self.generic.contains(name) {
      self.init(.unknown, isCollection: true)
    } else if let name = callee.typeName {
      self.init(
        Self.collections.contains(name) ? .plain : .named(name),
        isCollection: Self.collections.contains(name))
    } else if let name = callee.calledName {
      self.init(
        Self.proxies.contains(name) ? .proxy(name) : Self.tasks.contains(name) ? .task : .unknown)
    } else {
      self.init(.unknown)
    }
  }

  /// The methods that make proxies.
  private static let proxies: Set<String> = [
    "mutableArrayValue", "mutableSetValue", "mutableOrderedSetValue",
  ]

  /// A session's methods that make tasks.
  private static let tasks: Set<String> = [
    "dataTask", "downloadTask", "uploadTask", "streamTask", "webSocketTask",
  ]
}

extension ExprSyntax {
  /// The last part of a type's name that an expression is.
  var typeName: String? {
    calledName.flatMap { $0.first?.isUppercase == true ? $0 : nil }
  }
}

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Every message of the macros.
enum DiagnosticMessage: SwiftDiagnostics.DiagnosticMessage {
  // The annotated type.
  case notAClass(kind: String)
  case actor
  case repeated(String)
  case classInFunction(String)
  case nestedPrivate(String)
  case insidePrivate(String, type: String)
  case isolatedCocoaClass(String, actor: String)
  case foreignRoot(String)
  case otherNSObject(String)
  case narrowCast(String)
  case trackingNotTrue

  // Properties that cannot be tracked.
  case severalBindings([String])
  case tuplePattern([String])
  case lazy(String)
  case wrapper(String, attribute: String)
  case observationIgnored(String)
  case copying(String)
  case opaque(String, type: String)
  case rawIdentifier(String)
  case effectfulGetter(String)
  case isolated(String, actor: String)
  case nonisolated(String, modifier: String)
  case privateReplacement(String, part: String)
  case overriddenAnnouncement(String, observer: String?)
  case muteOverride(String)
  case typeInObserver(String, property: String)
  case initAccessor(String, of: String)
  case hidesPaths(type: String)

  // Dependencies.
  /// `isCertain` is false if the object may answer a key that the class's body doesn't show.
  case unknownDependency(String, type: String, nearest: String?, isCertain: Bool)
  case unknownOperator(String, nearest: String?)
  case malformedKeyPath(String)
  case dependsOnItself(String)
  case dependencyNotLiteral
  case dependencyNotOfProperties
  case nothingKnown(String)
  case untracedCall(String, call: String)
  case untracedMember(String, member: String)
  case untracedInherited(String, member: String)
  case untracedSelf(String, receiver: String)
  case untracedObject(String, object: String)
  case noSource(String, reads: String)
  case readsClock(String, clock: String, mark: String)

  // Manual notification.
  case notifiesTwice(String)
  case willWithoutDid(String)
  case neverAnnounced(String)

  // Customisation points.
  case unnamedKey(String)
  case keysAsObjects(String)

  // Members that Cocoa finds by name.
  case nearMiss(String, NearMissPart, NearMissReason, suggestion: String? = nil)
  case validatorOfOtherType(String, takes: String, key: String, type: String)

  // The class's other roles.
  case shape(ShapeMessage)

  // Marks in the wrong place.
  case undecided(mark: String)
  case dependsOn(Misplacement)
  case manual(Misplacement)
  case ignored(Misplacement)
  case ignoredHook(String)
  case redacted(Misplacement)
  case contradiction

  /// Where a mark is misplaced.
  enum Misplacement {
    case notAProperty, typeProperty, constant, readOnly, outsideClass, inExtension, local
  }

  var severity: DiagnosticSeverity {
    switch self {
    case .nothingKnown, .untracedCall, .untracedMember, .untracedInherited, .untracedSelf,
      .untracedObject, .noSource, .readsClock, .notifiesTwice, .willWithoutDid, .neverAnnounced,
      .nearMiss, .validatorOfOtherType, .effectfulGetter, .contradiction, .undecided,
      .overriddenAnnouncement, .muteOverride, .narrowCast:
      .warning
    case .unknownDependency(_, _, _, false): .warning
    case .dependsOn(.constant), .ignored(.typeProperty), .redacted(.typeProperty): .warning
    case .shape(let message): message.severity
    default: .error
    }
  }

  var diagnosticID: MessageID {
    MessageID(domain: "KeyValueMacros", id: String("\(self)".prefix { $0 != "(" }))
  }

  var message: String {
    switch self {
    case .trackingNotTrue:
      "'tracking:' is read while the class is compiled, and 'true' is all that it can be: write it, or "
        + "leave the argument out"
    case .notAClass(let kind):
      """
      '@KeyValueObservable' needs a class: observers hold on to an object's identity, which \(kind) \
      does not have
      """
    case .actor:
      """
      '@KeyValueObservable' needs a class: an actor's state cannot be observed synchronously; use a \
      class isolated to a global actor, such as '@MainActor'
      """
    case .repeated(let name):
      "'\(name)' already has '@KeyValueObservable'; remove one of the two attributes"
    case .classInFunction(let name):
      """
      '@KeyValueObservable' cannot be applied to '\(name)' inside a function, because Swift allows \
      no conformance to be added to a local type; move the class out of the function
      """
    case .nestedPrivate(let name):
      """
      '\(name)' is private to the enclosing type, where the conformance, an extension at file scope, \
      cannot reach it; make it fileprivate
      """
    case .insidePrivate(let name, let type):
      """
      '\(name)' is inside '\(type)', which is private to its enclosing type, where the conformance, an \
      extension at file scope, cannot reach it; make '\(type)' fileprivate
      """
    case .isolatedCocoaClass(let name, let actor):
      """
      '\(name)' is isolated to '@\(actor)', but 'NSObject', whose key-value coding reads and sets its \
      keys, is not; remove '@\(actor)' from the class, and put it on the methods that need it
      """
    case .foreignRoot(let name):
      """
      '\(name)' does not have FoundationKVO's root class, whose methods observers and key-value coding call; let \
      it inherit from FoundationKVO's 'NSObject', and keep an object of the class that it inherits from now \
      in a property
      """
    case .otherNSObject(let name):
      """
      the 'NSObject' of '\(name)' is not FoundationKVO's, or is ambiguous, because the file imports Foundation, too; \
      write 'import class FoundationKVO.NSObject' beside 'import FoundationKVO', or leave 'import Foundation' out
      """
    case .narrowCast(let cast):
      """
      '\(cast)' fails for strings, numbers, collections and NSNull, which are not FoundationKVO's 'NSObject'; \
      write 'Foundation.NSObject', or 'FoundationKVO.NSObject' if only objects with keys are meant
      """
    case .severalBindings(let names):
      "\(list(names)) share one 'var', which cannot be observed; declare each property by itself"
    case .tuplePattern(let names):
      """
      \(list(names)) are declared by a tuple pattern, which cannot be observed; declare each \
      property by itself, and set them in 'init' if they come from one tuple
      """
    case .lazy(let name):
      """
      lazy property '\(name)' cannot announce its changes; mark it @NotifiesManually and announce them \
      yourself, or @KeyValueIgnored, after which no observer is told of them, or make it computed over \
      a stored optional
      """
    case .wrapper(let name, let attribute):
      """
      property '\(name)' with wrapper '@\(attribute)' cannot announce its changes; mark it \
      @NotifiesManually and announce them yourself, or @KeyValueIgnored, after which no observer is told \
      of them, or drop the wrapper
      """
    case .observationIgnored(let name):
      """
      '@ObservationIgnored' has no meaning for '\(name)', because '@KeyValueObservable' doesn't read it; \
      write @KeyValueIgnored instead
      """
    case .copying(let name):
      """
      property '\(name)' would not copy what it is set to, because '@NSCopying' has no effect on accessors \
      that announce changes; make it computed over a stored property that its setter sets to \
      'newValue.copy()', or mark it @NotifiesManually and announce its changes yourself, or @KeyValueIgnored, \
      after which no observer is told of them
      """
    case .opaque(let name, let type):
      """
      property '\(name)' of opaque type '\(type)' cannot announce its changes, because its hidden \
      storage would have another type; write the type itself, or mark it @NotifiesManually or \
      @KeyValueIgnored
      """
    case .rawIdentifier(let name):
      """
      '\(name)' cannot be a key, because it is a name only in backticks; choose a plain name, or mark \
      it @KeyValueIgnored
      """
    case .effectfulGetter(let name):
      "'\(name)' is no key, because its getter can throw or suspend; mark it @KeyValueIgnored"
    case .isolated(let name, let actor):
      """
      '\(name)' is isolated to '@\(actor)' and its class is not marked so; mark both, or neither if the \
      class's module or superclass isolates it, or mark the property @KeyValueIgnored
      """
    case .nonisolated(let name, let modifier):
      """
      '\(modifier)' cannot be kept on observed property '\(name)': its accessors use the object; \
      drop it (a class that does its own locking is '@unchecked Sendable'), or mark the property \
      @NotifiesManually or @KeyValueIgnored
      """
    case .privateReplacement(let name, let part):
      """
      \(part) '\(name)' is private, so it cannot announce its changes: Swift replaces no private member; \
      make it fileprivate\(part == "method" ? "" : ", or mark it @NotifiesManually")
      """
    case .overriddenAnnouncement(let name, let observer):
      """
      only changes that are announced by hand call this override of '\(name)': setters\
      \(observer == nil ? ", proxies and accessors" : " and key-value coding") do not; \
      \(observer.map { "write '\($0)' for a property, " } ?? "")observe its key, or mark the method \
      @KeyValueIgnored if it is meant for those
      """
    case .muteOverride(let name):
      """
      this override of '\(name)' is not dynamic and does not set 'super.\(name)', so setting it notifies no \
      observer, as it does in Cocoa if the superclass's is dynamic; write 'override dynamic', or mark it \
      @NotifiesManually
      """
    case .typeInObserver(let type, let property):
      """
      '\(type)' is declared inside an observer of '\(property)', which the macro rewrites, and Swift \
      compiles no type in code that a macro writes there; move the type out of the observer
      """
    case .initAccessor(let name, let observed):
      """
      the 'init' accessor of '\(name)' names '\(observed)', which is observed, so Swift does not take it for a \
      stored property; mark '\(observed)' @KeyValueIgnored, or drop the accessor and set '\(observed)' in 'init'
      """
    case .hidesPaths(let type):
      """
      a property called 'kvo' hides the one that begins the paths to the keys of '\(type)'; rename it
      """
    case .unknownDependency(let name, let type, let nearest, _):
      "'\(type)' has no property '\(name)' to depend on"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .unknownOperator(let name, let nearest):
      "there is no collection operator '\(name)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .malformedKeyPath(let path):
      """
      \(path.literal) is not a key path; write keys separated by single dots, such as \
      "account.balance"
      """
    case .dependsOnItself(let name): "'\(name)' cannot depend on itself"
    case .dependencyNotLiteral:
      "'@DependsOn' takes string literals or key path literals: the macro reads them at compile time"
    case .dependencyNotOfProperties:
      """
      '@DependsOn' takes a key path of properties only; a string such as "employees.salary" leads \
      through the elements of a collection
      """
    case .nothingKnown(let name):
      """
      nothing is known to affect '\(name)', so setting it notifies no observer; name what it \
      depends on with @DependsOn(…), or write @DependsOn() if nothing does
      """
    case .untracedCall(let name, let call):
      """
      '\(name)' calls '\(call)', which the macro cannot see into, so changes of what it reads do \
      not notify '\(name)'; name that with @DependsOn(…), or write @DependsOn() if it reads \
      nothing more
      """
    case .untracedMember(let name, let member):
      """
      '\(name)' reads '\(member)', which is not declared in the class's body, so changes of it do \
      not notify '\(name)'; name what it reads with @DependsOn(…), or write @DependsOn() if it \
      does not change
      """
    case .untracedInherited(let name, let member):
      """
      '\(name)' reads '\(member)', which is declared neither in the class's body nor in an \
      observable superclass, so changes of it do not notify '\(name)'; name what it reads with \
      @DependsOn(…), or write @DependsOn() if it does not change
      """
    case .untracedSelf(let name, let receiver):
      """
      '\(name)' hands 'self' to '\(receiver)', which the macro cannot see into, so changes of what \
      it reads do not notify '\(name)'; name that with @DependsOn(…), or write @DependsOn() if it \
      reads nothing
      """
    case .untracedObject(let name, let object):
      """
      '\(name)' reads '\(object)', to which no key leads, so changes of it do not notify \
      '\(name)'; keep it in a property and read it through that, or write @DependsOn() if it does \
      not change
      """
    case .noSource(let name, let source):
      """
      '\(name)' reads '\(source)', which does not notify, and no key, so nothing notifies \
      '\(name)'; name what it depends on with @DependsOn(…), or write @DependsOn() if nothing does
      """
    case .readsClock(let name, let clock, let mark):
      """
      '\(name)' reads the time, '\(clock)', which is no key, so nothing notifies '\(name)' as time passes; \
      keep the time in a property that a timer sets, or write \(mark) if that is meant
      """
    case .notifiesTwice(let name):
      """
      this change of '\(name)' notifies twice: by itself and by the pair around it; mark '\(name)' \
      @NotifiesManually or drop the pair
      """
    case .willWithoutDid(let key):
      """
      nothing in the class calls 'didChangeValue(forKey: \(key.literal))', so observers of '\(key)' \
      are not told of this change; call it after the change, or use 'withChange(of:)'
      """
    case .neverAnnounced(let key):
      """
      '\(key)' is @NotifiesManually, and nothing in the class announces its changes, so observers \
      are not told of this one; make it in 'withChange(of: \(key.literal)) { … }', or mark '\(key)' \
      @DependsOn() if callers announce it
      """
    case .unnamedKey(let name):
      """
      '\(name)(forKey:)' needs a name for its key, because the macro adds to the method what it knows of \
      that key; call it 'key'
      """
    case .keysAsObjects(let name):
      "'\(name)' has to return 'Set<String>', in which the library finds what the key depends on"
    case .nearMiss(let name, let part, let reason, let suggestion):
      "'\(name)' is not taken for \(part.rawValue), \(reason.text)"
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    case .validatorOfOtherType(let name, let given, let key, let type):
      """
      '\(name)' takes '\(given)', but '\(key)' is '\(type)', so validation refuses each value that \
      is no '\(given)' without calling it; write 'inout \(type)'
      """
    case .shape(let message): message.message
    case .dependsOn(let place): dependsOnMessage(place)
    case .manual(let place): manualMessage(place)
    case .ignored(let place): ignoredMessage(place)
    case .ignoredHook(let name):
      "'@KeyValueIgnored' has no meaning for '\(name)', which the library calls for every key"
    case .redacted(let place): common("@KeyValueRedacted", place)
    case .undecided(let mark):
      """
      the macro can't evaluate the condition of '@\(mark)', and takes the mark to be there; put the whole \
      declaration under '#if', once with the mark and once without
      """
    case .contradiction: "'@KeyValueIgnored' makes this mark meaningless"
    }
  }

  private func list(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " and " + last
  }

  private func dependsOnMessage(_ place: Misplacement) -> String {
    switch place {
    case .constant: "a constant never changes and depends on nothing; '@DependsOn' has no effect"
    default: common("@DependsOn", place)
    }
  }

  private func manualMessage(_ place: Misplacement) -> String {
    switch place {
    case .constant: "a constant never changes; '@NotifiesManually' has no meaning here"
    case .readOnly:
      """
      a computed property without a setter has no assignment to keep silent; \
      '@NotifiesManually' has no meaning here
      """
    default: common("@NotifiesManually", place)
    }
  }

  private func ignoredMessage(_ place: Misplacement) -> String {
    switch place {
    case .notAProperty: "'@KeyValueIgnored' belongs on a property or a method"
    default: common("@KeyValueIgnored", place)
    }
  }

  private func common(_ mark: String, _ place: Misplacement) -> String {
    switch place {
    case .notAProperty: "'\(mark)' belongs on a property"
    case .typeProperty:
      "'\(mark)' belongs on an instance property; static and class properties are no keys"
    case .inExtension: "'\(mark)' has no meaning in an extension, whose properties are no keys"
    case .outsideClass:
      "'\(mark)' has no meaning here, because the enclosing type is not '@KeyValueObservable'"
    case .local: "'\(mark)' belongs on a property of a class, not on a local variable"
    default: "'\(mark)' has no meaning here"
    }
  }
}

/// The text of a fix-it.
struct FixItText: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "KeyValueMacros", id: message) }

  init(_ message: String) { self.message = message }
}

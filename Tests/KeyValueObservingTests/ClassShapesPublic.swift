// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import KeyValueObserving

// Classes at file scope, public and open ones among them; see `ClassShapes.swift`.

@globalActor
actor DatabaseActor {
  static let shared = DatabaseActor()
}

@KeyValueObservable
open class OpenShape {
  open var overridable = 1
  public final var sealed = 2
  public internal(set) var settableInside = 3
  public private(set) weak var parent: OpenShape?
  var inside = 4
  open var double: Int { overridable * 2 }
  public init() {}
  open class func keyPathsForValuesAffectingDouble() -> Set<String> { [] }
}

@KeyValueObservable
public final class PublicShape: OpenShape {
  public var extra = 1
  public override var double: Int { extra }
}

@KeyValueObservable
public class PublicGenericShape<Element: Sendable> {
  public var elements: [Element] = []
  public init() {}
}

@KeyValueObservable
package class PackageShape {
  package var value = 1
}

@MainActor @KeyValueObservable
open class OpenViewModel {
  open var text = ""
  public init() {}
}

@KeyValueObservable
private class PrivateShape {
  var value = 1
  private var hidden = 2
}

extension Shapes {
  @KeyValueObservable
  final class InExtension {
    var value = 1
  }
}

import KeyValueObserving

// Isolated, nested and conditionally compiled classes; see `ClassShapes.swift`.

extension Shapes {
  // MARK: Isolation

  @MainActor @KeyValueObservable
  class ViewModel {
    var text = "a"
    weak var delegate: ViewModel?
    var observed = 1 { didSet { text = "\(observed)" } }
    let id = 1
    var length: Int { text.count }
    nonisolated let sendable = 2
    nonisolated var nonisolatedComputed: Int { 3 }
    func validateText(_ value: inout String) throws {}
    func countOfRows() -> Int { 1 }
    init() {}
  }

  @MainActor @KeyValueObservable
  final class DetailViewModel: ViewModel {
    var detail = "b"
    override var length: Int { detail.count }
  }

  @MainActor @KeyValueObservable
  class HookedViewModel {
    static var silentKeys: Set<String> = ["text"]
    var text = ""
    class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
      !silentKeys.contains(key)
    }
    func setNilValue(forKey key: String) throws { text = "" }
  }

  @DatabaseActor @KeyValueObservable
  final class Table {
    var rows = 1
  }

  @KeyValueObservable
  final class Shared: @unchecked Sendable {
    let id = 1
    var unguarded = 2
  }

  @KeyValueObservable
  final class Immutable: Sendable {
    let id = 1
    var computed: Int { id }
  }

  // MARK: Nesting and conditions

  @KeyValueObservable
  class Outer {
    var inner = Inner()

    @KeyValueObservable
    class Inner {
      var value = 1

      @KeyValueObservable
      final class Innermost: Inner {
        var deep = 2
      }
    }

    enum Namespace {
      @KeyValueObservable
      final class InEnum {
        var value = 1
      }
    }
  }

  @KeyValueObservable
  fileprivate class Hidden {
    var value = 1
    private var hidden = 2
  }

  @KeyValueObservable
  fileprivate final class HiddenBelow: Hidden {
    var more = 1
  }

  @KeyValueObservable
  class Conditional {
    var always = 1
    #if os(Linux)
      var linux = 2
      var double: Int { linux * 2 }
    #elseif os(macOS)
      var mac = 3
    #else
      var other = 4
    #endif
    #if NEVER_DEFINED
      var never: DoesNotExist = 1
    #endif
  }
}

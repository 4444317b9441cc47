#if Inspector
  import KeyValueInspector
#endif
import KeyValueObserving

/// Shows this process on a web page, if the program was built with the trait `Inspector`.
///
/// The server behind the page is a package that takes minutes to compile, so it isn't built by default.
package final class ProgramInspector {
  /// The page's address.
  package let url: String

  #if Inspector
    private let inspector: KeyValueInspector

    /// Starts it; it stops when this object is released.
    package init(for program: String) throws {
      inspector = try KeyValueInspector.start()
      url = inspector.url
    }

    /// Shows a log's history on the page, in place of an earlier log's.
    package func showHistory<Root>(of log: KeyValueChangeLog<Root>) throws {
      try inspector.showHistory(of: log)
    }
  #else
    /// - Throws: `MissingInspector`.
    package init(for program: String) throws {
      throw MissingInspector(program: program)
    }

    /// There is no page, because there is no inspector.
    package func showHistory<Root>(of log: KeyValueChangeLog<Root>) throws {}
  #endif
}

/// The program was built without the inspector.
package struct MissingInspector: Error, CustomStringConvertible {
  package let program: String

  package var description: String {
    """
    this was built without the inspector; run: \
    swift run --package-path Examples --traits Inspector \(program) --inspect
    """
  }
}

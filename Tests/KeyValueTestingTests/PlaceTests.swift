#if os(Linux) && canImport(Glibc)
  import KeyValueCallSites
  import KeyValueObserving
  import KeyValueTesting
  import Testing

  @Suite("E8. Places of changes", .enabled(if: hasAllFrames, "Optimized code has fewer frames."))
  struct PlaceTests {
    @Test("E8 Where call sites are recorded, a failure has the place of each change")
    func callSites() async {
      // In a process of its own, because call sites are recorded for all tests.
      await #expect(processExitsWith: .success) { PlaceTests.callSitesBody() }
    }

    private static func callSitesBody() {
      KeyValueTrace.recordCallSites()
      let company = Company()
      let line = #line + 2
      let found = failures {
        expectChanges(of: company.kvo.name) {
          company.name = "A"
          company.name = "B"
        } are: {
          change(company.kvo.name, new: "A")
        }
      }
      let message = """
        The changes aren't the ones described (- described, + announced):
          change(Company.name, old: "Engines", new: "A")
        + change(Company.name, old: "A", new: "B")  // PlaceTests.swift:\(line + 2)
        """
      #expect(found == failure(message, at: line))
    }
  }

  /// Whether a change's caller has a frame of its own, as in debug builds.
  private var hasAllFrames: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
#endif

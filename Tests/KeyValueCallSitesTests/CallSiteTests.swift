#if os(Linux) && canImport(Glibc)
  import Dispatch
  import KeyValueCallSites
  import KeyValueCore
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Each test runs in its own process.
  ///
  /// Call sites are recorded for the whole process, so the events of other tests would have places, too. Each
  /// test's body is a function, because the closure of `#expect` is macro code, which has no lines.
  @Suite("Call sites", .enabled(if: hasAllFrames, "Optimized code has fewer frames."))
  struct CallSiteTests {
    @Test("A change's place is the line of the assignment, in its file and module")
    func assignment() async {
      await #expect(processExitsWith: .success) { CallSiteTests.assignmentBody() }
    }

    private static func assignmentBody() {
      let traveller = Traveller()
      let observation = traveller.kvo.age.observe { _, _ in }
      let trace = recorded {
        traveller.age = 37
        traveller.age += 1
        traveller.celebrate()
      }
      let line = #line - 4
      #expect(trace.changeLines == [line, line + 1, Traveller.celebrationLine])
      let changes = trace.events.filter { $0.kind == .changeBegan }
      #expect(changes[0].place?.fileID == "KeyValueCallSitesTests/CallSiteTests.swift")
      #expect(
        changes[0].description == "Traveller.age is set at CallSiteTests.swift:\(line), was 36")
      #expect(changes[2].place?.fileID == "KeyValueCallSitesTests/CallSiteModels.swift")
      // The end has the same place, and doesn't repeat it.
      let end = trace.events.first { $0.kind == .changeEnded }
      #expect(end?.place == changes[0].place)
      #expect(end?.description.hasPrefix("Traveller.age has changed: 36 -> 37 after ") == true)
      withExtendedLifetime(observation) {}
    }

    @Test("The place of a change by a handwritten setter is the line that calls the setter")
    func accessors() async {
      await #expect(processExitsWith: .success) { CallSiteTests.accessorsBody() }
    }

    private static func accessorsBody() {
      let traveller = Traveller()
      let observations = [
        traveller.kvo.age.observe { _, _ in }, traveller.kvo.warmth.observe { _, _ in },
      ]
      let trace = recorded {
        traveller.warmth = 300
        traveller.birthYear = 2000
      }
      // The second change sets another key, inside its own setter.
      #expect(trace.changeLines == [#line - 4, Traveller.settingLine])
      withExtendedLifetime(observations) {}
    }

    @Test("Another type's setter is a place, even if its property has the key's name")
    func forwarding() async {
      await #expect(processExitsWith: .success) { CallSiteTests.forwardingBody() }
    }

    private static func forwardingBody() {
      let traveller = Traveller()
      let observation = traveller.kvo.age.observe { _, _ in }
      let form = TravellerForm(traveller: traveller)
      let trace = recorded { form.age = 37 }
      #expect(trace.changeLines == [TravellerForm.settingLine])
      withExtendedLifetime(observation) {}
    }

    @Test("Changes by key, by key path, of a collection and through a proxy have places")
    func otherWays() async {
      await #expect(processExitsWith: .success) { try CallSiteTests.otherWaysBody() }
    }

    private static func otherWaysBody() throws {
      let traveller = Traveller()
      let observations = [
        traveller.kvo.age.observe { _, _ in }, traveller.kvo.stops.observe { _, _ in },
      ]
      let keyPath = \Traveller.age
      let trace = try recorded {
        try traveller.setValue(40, forKey: "age")
        traveller[keyPath: keyPath] = 41
        traveller.stops.append(1)
        traveller.mutableArrayValue(for: \.stops).insert(2, at: 0)
      }
      let line = #line - 5
      #expect(trace.changeLines == [line, line + 1, line + 2, line + 3])
      #expect(
        trace.events.last { $0.kind == .changeBegan }?.description
          == "Traveller.stops gets elements 0 at CallSiteTests.swift:\(line + 3)")
      withExtendedLifetime(observations) {}
    }

    @Test("Changes in a handler and in a transaction have places, and so do chains of causes")
    func causes() async {
      await #expect(processExitsWith: .success) { CallSiteTests.causesBody() }
    }

    private static func causesBody() {
      KeyValueTrace.recordCallSites()
      let traveller = Traveller()
      let causes = AtomicList()
      let first = traveller.kvo.age.observe { traveller, _ in traveller.name = "Grace" }
      let second = traveller.kvo.name.observe { _, _ in
        causes.append("\(KeyValueTrace.cause)")
      }
      let trace = recorded {
        KeyValueTransaction.perform { traveller.age = 37 }
      }
      let line = #line - 2
      #expect(trace.changeLines == [line, line - 5])
      _ = recorded { traveller.age = 38 }
      #expect(
        causes.take().last == """
          Traveller.age is set at CallSiteTests.swift:\(line + 4), was 37
            closure of Traveller.age registered at CallSiteTests.swift:\(line - 5)
              Traveller.name is set at CallSiteTests.swift:\(line - 5), was "Grace"
                closure of Traveller.name registered at CallSiteTests.swift:\(line - 4)
          """)
      withExtendedLifetime((first, second)) {}
    }

    @Test("Changes in an asynchronous function have places before and after it suspends")
    func asynchronous() async {
      await #expect(processExitsWith: .success) { await CallSiteTests.asynchronousBody() }
    }

    private static func asynchronousBody() async {
      KeyValueTrace.recordCallSites()
      let traveller = Traveller()
      let observation = traveller.kvo.age.observe { _, _ in }
      func change() async {
        traveller.age += 1
        await Task.yield()
        traveller.age += 1
      }
      let line = #line - 4
      let trace = await KeyValueTrace.recording {
        await change()
        await change()
      }
      #expect(trace.changeLines == [line, line + 2, line, line + 2])
      withExtendedLifetime(observation) {}
    }

    @Test("Several threads make changes and read their places at the same time")
    func threads() async {
      await #expect(processExitsWith: .success) { CallSiteTests.threadsBody() }
    }

    private static func threadsBody() {
      KeyValueTrace.recordCallSites()
      let places = LockedValue<Set<KeyValueTrace.Place?>>([])
      let count = LockedValue(0)
      let token = KeyValueTrace.observe { event in
        guard event.kind == .changeBegan else { return }
        let place = event.place
        places.withLock { _ = $0.insert(place) }
        count.withLock { $0 += 1 }
      }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let traveller = Traveller()
        let observation = traveller.kvo.age.observe { _, _ in }
        for _ in 0..<500 { traveller.age += 1 }
        withExtendedLifetime(observation) {}
      }
      token.invalidate()
      #expect(count.withLock { $0 } == 2_000)
      #expect(places.withLock { $0.map { $0?.line } } == [#line - 5])
    }

    @Test("Changes have no place before recording begins and after it ends")
    func off() async {
      await #expect(processExitsWith: .success) { CallSiteTests.offBody() }
    }

    private static func offBody() {
      let traveller = Traveller()
      let observation = traveller.kvo.age.observe { _, _ in }
      func lines() -> [Int?] { KeyValueTrace.recording { traveller.age += 1 }.changeLines }
      #expect(!KeyValueTrace.recordsCallSites)
      #expect(lines() == [nil])
      #expect(KeyValueTrace.recordCallSites())
      #expect(KeyValueTrace.recordsCallSites)
      #expect(lines() == [#line - 5])
      #expect(!KeyValueTrace.recordCallSites(false))
      #expect(lines() == [nil])
      withExtendedLifetime(observation) {}
    }
  }

  @Suite("Call sites in any build configuration")
  struct AnyCallSiteTests {
    @Test("A change has a place in the program's own code")
    func module() async {
      await #expect(processExitsWith: .success) { AnyCallSiteTests.moduleBody() }
    }

    private static func moduleBody() {
      let traveller = Traveller()
      let observation = traveller.kvo.age.observe { _, _ in }
      let trace = recorded { change(traveller) }
      let places = trace.events.filter { $0.kind == .changeBegan }.map(\.place)
      // The module of a function that was inlined may be unknown.
      #expect(places.map { $0?.fileID.hasSuffix("/CallSiteTests.swift") } == [true])
      withExtendedLifetime(observation) {}
    }

    /// A function of its own, because the optimiser merges closures that are alike to one without lines.
    @inline(never)
    private static func change(_ traveller: Traveller) { traveller.age = 37 }
  }
#endif

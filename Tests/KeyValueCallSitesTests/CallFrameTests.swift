#if os(Linux) && canImport(Glibc)
  import KeyValueCore
  import Testing

  @testable import KeyValueCallSites

  @Suite("Stack frames")
  struct CallFrameTests {
    private func frame(
      _ symbol: String = "$s3App4ViewC4loadyyF", name: String = "View.load()",
      image: String = "App", path: String? = "/src/App/View.swift", line: Int = 31,
      following: Int? = nil
    ) -> CallFrame {
      CallFrame(
        symbol: symbol, name: name, image: image, source: path.map { ($0, line) },
        following: following)
    }

    private func function(
      _ symbol: String, name: String = "View.load()", image: String = "App", isThunk: Bool = false
    ) -> CallFunction {
      CallFunction(symbol: symbol, name: name, image: image, isThunk: isThunk)
    }

    private func place(_ frame: CallFrame) -> String? {
      if case .code(let place, _) = frame { "\(place.fileID):\(place.line)" } else { nil }
    }

    @Test("Frames of the library, of thunks and of Swift's runtime are passed over")
    func passingFunctions() {
      #expect(
        function("$s12KeyValueCore15MutationContextC5begin___2of3oldyAA9WatchListO") == .passing)
      #expect(function("$s12KeyValueCore0aB10ObservablePAAE8setValue") == .passing)
      #expect(function("$s3App6PersonC3ageSivsTm", isThunk: true) == .passing)
      #expect(
        function("$ss17withUnsafePointer2to_q0_x_q0_SPyxGq_YKXEtq_YKs5ErrorR_Ri_zRi_0_r1_lF")
          == .passing)
      #expect(function("swift_setAtWritableKeyPath") == .passing)
      #expect(function("___interceptor_backtrace") == .passing)
      #expect(function("_ZN5swift", image: "libswift_Concurrency.so") == .passing)
    }

    @Test("A library function that contains another module's code is examined")
    func otherFunctions() {
      // A specialization for another module, and another module's extension.
      for symbol in [
        "$s12KeyValueCore0aB11TransactionO7performyxxyKXEKlFZyt_Tg5",
        "$s12KeyValueCore0aB11TransactionO7performyxxyKXEKlFZyt_Tf4nd_n",
        "$s12KeyValueCore0aB10ObservableP3AppE4loadyyF", "$s3App4ViewC4loadyyF", "main", "qsort",
      ] {
        #expect(function(symbol) == .other(accessorOf: nil), "\(symbol)")
      }
      #expect(function("swift_job_run", image: "libswift_Concurrency.so") == .end)
    }

    @Test("A setter, and a closure in it, are recognised by their property")
    func accessors() {
      let age = AccessedProperty("Person.age.setter")
      #expect(age?.name == "age" && age?.type == "Person")
      #expect(AccessedProperty("closure #1 in Person.age.modify") == age)
      #expect(AccessedProperty("Outer.Person.age.setter") == age)
      let local = AccessedProperty("Person #1 in load().age.setter")
      #expect(local?.name == "age" && local?.type == nil)
      #expect(AccessedProperty("Person.age.getter") == nil)
      #expect(AccessedProperty("Person.setter()") == nil)
      #expect(AccessedProperty("setter") == nil)
      #expect(
        function("$s3App6PersonC3ageSivs", name: "Person.age.setter") == .other(accessorOf: age))
    }

    @Test("A setter of another type's property with the key's name is not the key's setter")
    func accessorsOfOtherTypes() {
      func isSet(_ key: ChangedKey, by function: String) -> Bool? {
        AccessedProperty(function).map { key.isSet(by: $0) }
      }
      let key = ChangedKey("age", of: Traveller.self)
      #expect(isSet(key, by: "Traveller.age.setter") == true)
      #expect(isSet(key, by: "Traveller.name.setter") == false)
      #expect(isSet(key, by: "TravellerForm.age.setter") == false)
      #expect(isSet(key, by: "Form #1 in load().age.setter") == true)
      #expect(isSet(ChangedKey("age", of: nil), by: "TravellerForm.age.setter") == true)
    }

    @Test("Lines of the library, of macros and of compiler-generated code are passed over")
    func passingLines() {
      #expect(frame(path: "/src/kvo/Sources/KeyValueCore/Mutation/Change.swift") == .passing)
      #expect(frame(path: "/src/kvo/Sources/FoundationKVO/Progress.swift") == .passing)
      #expect(frame(path: "/tmp/@__swiftmacro_3App6PersonC3age.swift") == .passing)
      #expect(frame(path: "/src/App/<compiler-generated>", line: 1) == .passing)
      #expect(frame(path: "/src/App/<compiler-generated>", line: 0) == .passing)
      #expect(frame(line: 0) == .unknown)
      #expect(frame(path: nil) == .unknown)
    }

    @Test("A place has the module of its function or the program's name; line 0 uses the next line")
    func places() {
      #expect(place(frame()) == "App/View.swift:31")
      #expect(place(frame(line: 0, following: 32)) == "App/View.swift:32")
      #expect(place(frame("App_main")) == "App/View.swift:31")
      #expect(place(frame("main", image: "kvo-top")) == "kvo_top/View.swift:31")
      #expect(place(frame("$s12KeyValueCore0aB10ObservableP3AppE")) == "App/View.swift:31")
      #expect(place(frame("$s999x")) == "App/View.swift:31")
      #expect(place(frame(path: "View.swift")) == "App/View.swift:31")
    }

    @Test("Unknown addresses have no place, and are looked up once")
    func nowhere() {
      let finder = PlaceFinder()
      let key = ChangedKey("age", of: nil)
      for _ in 0..<2 { #expect(finder.place(of: [1, 2, 3], changing: key) == nil) }
      #expect(finder.place(of: [], changing: key) == nil)
    }
  }
#endif

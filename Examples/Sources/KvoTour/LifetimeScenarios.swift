import KeyValueObserving

@KeyValueObservable
private final class Person {
  var name = "Ada"
  private let printer: TourPrinter

  init(_ printer: TourPrinter) { self.printer = printer }

  deinit { printer.heard("the person is gone") }
}

/// Observes itself for as long as it lives.
@KeyValueObservable
private final class Diary {
  var page = 1
  private let printer: TourPrinter
  @KeyValueIgnored private var observation: KeyValueObservation?

  init(_ printer: TourPrinter) {
    self.printer = printer
    // The handler receives the object, so it needn't capture `self`.
    observation = kvo.page.observe(options: [.old, .new]) { diary, change in
      diary.printer.heard("page \(change)")
    }
  }

  deinit { printer.heard("the diary is gone") }
}

extension Scenario {
  static let observerDies = Scenario(
    "observerDies", on: .observing, "releasing an observer ends its observation"
  ) { printer in
    let person = Person(printer)
    var listener: Listener? = Listener("listener", printer)
    printer.step("a listener observes name with new")
    if let listener { try person.addObserver(listener, forKeyPath: "name", options: [.new]) }
    printer.step("person.name = \"Grace\"")
    person.name = "Grace"
    printer.step("the listener is released; person.name = \"Barbara\"")
    withExtendedLifetime(listener) {}
    listener = nil
    person.name = "Barbara"
    printer.heard("registered: \(person.observationInfo.count)")

    printer.step("a closure observes name with new")
    var observation: KeyValueObservation? = person.kvo.name.observe(options: [.new]) { _, change in
      printer.heard("closure: name \(change)")
    }
    printer.step("person.name = \"Frances\"")
    person.name = "Frances"
    printer.step("the observation is released; person.name = \"Radia\"")
    withExtendedLifetime(observation) {}
    observation = nil
    person.name = "Radia"
    printer.heard("registered: \(person.observationInfo.count)")
    withExtendedLifetime(person) { printer.step("the person is released, too") }
  }

  static let observedDies = Scenario(
    "observedDies", on: .observing, "releasing an observed object ends its observations"
  ) { printer in
    var person: Person? = Person(printer)
    printer.step("observe name with new")
    let observation = person?.kvo.name.observe(options: [.new]) { _, change in
      printer.heard("name \(change)")
    }
    printer.step("person.name = \"Grace\"")
    person?.name = "Grace"
    printer.heard("observation.isValid is \(observation?.isValid == true)")
    printer.step("the person is released")
    person = nil
    printer.heard("observation.isValid is \(observation?.isValid == true)")
    printer.step("observation.invalidate() has no effect")
    observation?.invalidate()
  }

  static let selfObserverDies = Scenario(
    "selfObserverDies", on: .observing, "an object that observes itself is released like any other"
  ) { printer in
    printer.step("create a diary, which observes its own page with old and new")
    var diary: Diary? = Diary(printer)
    printer.step("diary.page = 2")
    diary?.page = 2
    printer.step("the diary is released")
    diary = nil
  }
}

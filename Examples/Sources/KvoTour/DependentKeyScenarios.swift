import KeyValueObserving

/// The macro infers the dependencies from the getter.
@KeyValueObservable
private final class InferredPerson {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var fullName: String { "\(firstName) \(lastName)" }
}

// The other classes read their sources in a function, so they have to declare them.

@KeyValueObservable
private final class AttributePerson {
  var firstName = "Ada"
  var lastName = "Lovelace"
  @DependsOn("firstName", "lastName")
  var fullName: String { bothNames() }

  private func bothNames() -> String { "\(firstName) \(lastName)" }
}

@KeyValueObservable
private final class GeneralMethodPerson {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var fullName: String { bothNames() }

  private func bothNames() -> String { "\(firstName) \(lastName)" }

  class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "fullName" ? ["firstName", "lastName"] : []
  }
}

@KeyValueObservable
private final class NamedMethodPerson {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var fullName: String { bothNames() }

  private func bothNames() -> String { "\(firstName) \(lastName)" }

  class func keyPathsForValuesAffectingFullName() -> Set<String> { ["firstName", "lastName"] }
}

@KeyValueObservable
private final class Download {
  var bytesTotal = 1000
  var bytesWritten = 0
  var progress: Double { bytesTotal > 0 ? Double(bytesWritten) / Double(bytesTotal) : 0 }
}

@KeyValueObservable
private final class Dog {
  var name: String
  var height: Int

  init(name: String, height: Int) {
    self.name = name
    self.height = height
  }
}

@KeyValueObservable
private final class DogOwner {
  var dog = Dog(name: "Rex", height: 50)

  class func keyPathsForValuesAffectingDog() -> Set<String> { ["dog.name", "dog.height"] }
}

extension Scenario {
  static let fullName = Scenario(
    "fullName", on: .dependentKeys, "a dependent key, declared in four ways"
  ) { printer in
    printer.remark("by inference: the getter names firstName and lastName")
    let inferred = InferredPerson()
    printer.step("InferredPerson.keyPathsForValuesAffectingValue(forKey: \"fullName\")")
    printer.heard(sources(of: InferredPerson.self))
    let first = inferred.kvo.fullName.observe(options: [.old, .new]) { _, change in
      printer.heard("fullName \(change)")
    }
    printer.step("firstName = \"Grace\", lastName = \"Hopper\"")
    inferred.firstName = "Grace"
    inferred.lastName = "Hopper"

    printer.remark("by attribute: @DependsOn(\"firstName\", \"lastName\")")
    let attribute = AttributePerson()
    printer.step("AttributePerson.keyPathsForValuesAffectingValue(forKey: \"fullName\")")
    printer.heard(sources(of: AttributePerson.self))
    let second = attribute.kvo.fullName.observe(options: [.old, .new]) { _, change in
      printer.heard("fullName \(change)")
    }
    printer.step("firstName = \"Grace\", lastName = \"Hopper\"")
    attribute.firstName = "Grace"
    attribute.lastName = "Hopper"

    printer.remark("by keyPathsForValuesAffectingValue(forKey:)")
    let general = GeneralMethodPerson()
    printer.step("GeneralMethodPerson.keyPathsForValuesAffectingValue(forKey: \"fullName\")")
    printer.heard(sources(of: GeneralMethodPerson.self))
    let third = general.kvo.fullName.observe(options: [.old, .new]) { _, change in
      printer.heard("fullName \(change)")
    }
    printer.step("firstName = \"Grace\", lastName = \"Hopper\"")
    general.firstName = "Grace"
    general.lastName = "Hopper"

    printer.remark("by keyPathsForValuesAffectingFullName()")
    let named = NamedMethodPerson()
    printer.step("NamedMethodPerson.keyPathsForValuesAffectingValue(forKey: \"fullName\")")
    printer.heard(sources(of: NamedMethodPerson.self))
    let fourth = named.kvo.fullName.observe(options: [.old, .new]) { _, change in
      printer.heard("fullName \(change)")
    }
    printer.step("firstName = \"Grace\", lastName = \"Hopper\"")
    named.firstName = "Grace"
    named.lastName = "Hopper"
    withExtendedLifetime([first, second, third, fourth]) {}
  }

  static let download = Scenario(
    "download", on: .dependentKeys, "progress, from the bytes written and the total"
  ) { printer in
    let download = Download()
    printer.step("observe progress with initial, old and new")
    let observation = download.kvo.progress.observe(options: [.initial, .old, .new]) { _, change in
      printer.heard("progress \(change)")
    }
    printer.step("bytesWritten += 250, twice")
    download.bytesWritten += 250
    download.bytesWritten += 250
    printer.step("bytesTotal = 2000: the total grows")
    download.bytesTotal = 2000
    withExtendedLifetime(observation) {}
  }

  static let dog = Scenario(
    "dog", on: .dependentKeys, "a property that notifies when its object's properties change"
  ) { printer in
    let owner = DogOwner()
    printer.step("observe dog, which depends on dog.name and dog.height")
    let observation = owner.kvo.dog.observe(options: []) { owner, change in
      printer.heard("dog \(change); it is \(owner.dog.name), \(owner.dog.height) cm")
    }
    printer.step("owner.dog.name = \"Wolf\"")
    owner.dog.name = "Wolf"
    printer.step("owner.dog.height = 60")
    owner.dog.height = 60
    printer.step("owner.dog = a new dog")
    let old = owner.dog
    owner.dog = Dog(name: "Bello", height: 30)
    printer.step("the old dog's name changes: it is no longer observed")
    old.name = "Max"
    printer.step("owner.dog.height = 31")
    owner.dog.height = 31
    withExtendedLifetime(observation) {}
  }
}

/// The effective dependencies of `fullName`, in alphabetical order.
private func sources(of person: any KeyValueObservable.Type) -> String {
  person.keyPathsForValuesAffectingValue(forKey: "fullName").sorted().joined(separator: ", ")
}

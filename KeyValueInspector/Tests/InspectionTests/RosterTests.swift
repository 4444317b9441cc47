import Dispatch
import KeyValueObserving
import Synchronization
import Testing

@testable import Inspection

@KeyValueObservable
private final class Team {
  var members: [Person] = []
  @DependsOn("members.@sum.age")
  var years: Int { members.reduce(0) { $0 + $1.age } }
}

@KeyValueObservable
private final class Clerk {
  var pay = 0
  var deputy: Clerk?
}

@Suite struct RosterTests {
  @Test("An object has all keys of its class, with their last values and numbers of changes")
  func keys() throws {
    let person = Person()
    let inspection = inspection {
      let observation = person.kvo.title.observe(options: [.old, .new]) { _, _ in }
      person.name = "Grace"
      person.name = "Mary"
      observation.invalidate()
    }
    let answer = try #require(inspection.object(id: "1"))
    #expect(answer.name == "Person 1")
    #expect(
      answer.keys == [
        .init(key: "name", value: #""Mary""#, changes: 2),
        .init(key: "age", value: nil, changes: 0),
        .init(key: "title", value: #""Dr Mary""#, changes: 0),
        .init(key: "mentor", value: nil, changes: 0),
      ])
    #expect(answer.observers.map(\.words) == ["closure, ended of title"])
    #expect(answer.observers.map(\.deliveries) == [2])
    #expect(answer.observers[0].place?.hasPrefix("RosterTests.swift:") == true)
  }

  @Test("An object that is a value has its name if an event reported it, otherwise its address")
  func objectsAsValues() {
    let (person, mentor, stranger) = (Person(), Person(), Person())
    var inspection = inspection {
      let observations = [
        person.kvo.mentor.observe(options: [.old, .new]) { _, _ in },
        person.kvo.mentor.observe(options: .initial) { _, _ in },
        mentor.kvo.name.observe { _, _ in },
      ]
      person.mentor = mentor
      person.mentor = stranger
      for observation in observations { observation.invalidate() }
    }
    let address = UInt(bitPattern: ObjectIdentifier(stranger))
    let unknown = "Person@0x\(String(address, radix: 16))"
    let changes = inspection.batch(now: 0, seconds: 1).cascades.filter { $0.deliveries > 1 }
    #expect(
      changes.map(\.title) == [
        "Person 1.mentor is set: nil → Person 2",
        "Person 1.mentor is set: Person 2 → \(unknown)",
      ])
    #expect(
      changes.map { $0.spans[1].words.split(separator: "told: ").last } == [
        "nil → Person 2", "Person 2 → \(unknown)",
      ])
    let mentors = inspection.object(id: "1")?.keys.filter { $0.key == "mentor" }
    #expect(mentors == [.init(key: "mentor", value: unknown, changes: 2)])
    #expect(
      inspection.graph(around: "1")?.nodes.first { $0.title == "mentor" }?.detail
        == "Person 1 = \(unknown)")
  }

  @Test("An object that dies is deallocated, and its observers end; one at its address is another")
  func deaths() {
    let owner = Person()
    let inspection = inspection {
      for _ in 1...100 {
        // A property, because an optimised build may keep a local variable's object alive.
        owner.mentor = Person()
        let observation = owner.mentor?.kvo.name.observe { _, _ in }
        withExtendedLifetime(observation) { owner.mentor = nil }
      }
    }
    #expect(
      inspection.objects(search: "").classes.flatMap(\.objects)
        == (1...100).map { number in
          ObjectsAnswer.Object(
            id: "\(number)", name: "Person \(number)", figures: "deallocated")
        })
    let observers = (1...100).map { inspection.object(id: "\($0)")?.observers.map(\.words) ?? [] }
    #expect(observers == Array(repeating: ["closure, ended of name"], count: 100))
  }

  @Test("A value has the name of an object that died later, not of one that died before")
  func deadValues() {
    let owner = Person()
    let observation = owner.kvo.mentor.observe(options: [.old, .new]) { _, _ in }
    var inspection = Inspection()
    func titles(_ body: () -> Void) -> [String] {
      inspection.take(KeyValueTrace.recording(body).events)
      return inspection.batch(now: 0, seconds: 1).cascades.filter { $0.deliveries > 0 }
        .map(\.title)
    }
    func text(_ person: Person?) -> String {
      guard let person else { return "nil" }
      let address = UInt(bitPattern: ObjectIdentifier(person))
      return "Person@0x\(String(address, radix: 16))"
    }
    for number in 2...9 {
      let found = titles {
        owner.mentor = Person()
        let inner = owner.mentor?.kvo.name.observe { _, _ in }
        withExtendedLifetime(inner) { owner.mentor = nil }
      }
      #expect(
        found == [
          "Person 1.mentor is set: nil → Person \(number)",
          "Person 1.mentor is set: Person \(number) → nil",
        ])
    }
    for _ in 1...20 {
      let old = text(owner.mentor)
      // Probably at the address of one that died, and unobserved.
      let found = titles { owner.mentor = Person() }
      #expect(found == ["Person 1.mentor is set: \(old) → \(text(owner.mentor))"])
    }
    #expect(
      inspection.object(id: "1")?.keys.last
        == ObjectAnswer.Key(key: "mentor", value: text(owner.mentor), changes: 36))
    observation.invalidate()
  }

  @Test("A queue's call after the object's death, and its skip, are the dead object's")
  func callsAfterDeath() {
    for isSkipped in [false, true] {
      let events = Mutex<[KeyValueTrace.Event]>([])
      // A queue's calls don't belong to a recording of this task.
      let token = KeyValueTrace.observe { event in
        if event.object?.className == "Clerk" { events.withLock { $0.append(event) } }
      }
      let queue = DispatchQueue(label: "payroll")
      queue.suspend()
      let owner = Clerk()
      owner.deputy = Clerk()
      let observation = owner.deputy?.kvo.pay.observe(options: [.new], on: .queue(queue)) { _ in }
      owner.deputy?.pay = 1
      owner.deputy = nil
      if isSkipped { observation?.invalidate() }
      queue.resume()
      queue.sync {}
      token.invalidate()
      withExtendedLifetime(observation) {}

      var inspection = Inspection()
      inspection.take(events.withLock { $0 }.sorted { $0.id < $1.id })
      #expect(
        inspection.objects(search: "").classes.flatMap(\.objects) == [
          .init(id: "1", name: "Clerk 1", figures: "deallocated")
        ])
      #expect(inspection.object(id: "1")?.observers.map(\.words) == ["closure, ended of pay"])
      #expect(inspection.object(id: "1")?.observers.map(\.deliveries) == [isSkipped ? 0 : 1])
    }
  }

  @Test("After nested changes of a key, its value is the innermost one")
  func nestedValue() {
    let person = Person()
    let inspection = inspection {
      let observation = person.kvo.age.observe { person, _ in
        if person.age < 40 { person.age += 1 }
      }
      person.age = 38
      observation.invalidate()
    }
    #expect(inspection.object(id: "1")?.keys.first { $0.key == "age" }?.value == "40")
  }

  @Test("Objects are found by class, key, value and place, and listed by class")
  func search() {
    let people = [Person(), Person()]
    let team = Team()
    team.members = people
    let inspection = inspection {
      var observations = people.map { $0.kvo.name.observe { _, _ in } }
      observations.append(team.kvo.years.observe { _, _ in })
      people[1].name = "Grace"
      _ = observations
    }
    func names(_ search: String) -> [String] {
      inspection.objects(search: search).classes.flatMap { $0.objects.map(\.name) }
    }
    #expect(names("") == ["Person 1", "Person 2", "Team 1"])
    #expect(names("GRACE") == ["Person 2"])
    #expect(names("team") == ["Team 1"])
    #expect(names("years") == ["Team 1"])
    #expect(names("rostertests.swift").count == 3)
    #expect(names("nothing") == [])
    #expect(inspection.objects(search: "").classes.map(\.count) == [2, 1])
  }

  @Test("Registrations of one object at one place are one observer, with their number")
  func places() {
    let person = Person()
    var observations: [KeyValueObservation] = []
    let inspection = inspection {
      observations = (1...20).map { _ in person.kvo.name.observe { _, _ in } }
      observations[3].invalidate()
      person.name = "Grace"
    }
    #expect(inspection.object(id: "1")?.observers.map(\.words) == ["19 × closure of name"])
    #expect(inspection.object(id: "1")?.observers.map(\.deliveries) == [19])
    #expect(inspection.graph(around: "1")?.nodes.filter { $0.kind == "observer" }.count == 1)
  }

  @Test(
    "The graph leads from the changed key through the dependent key to the observer",
    arguments: [false, true])
  func graph(isTransaction: Bool) throws {
    let person = Person()
    let team = Team()
    team.members = [person]
    var observation: KeyValueObservation?
    let inspection = inspection {
      observation = team.kvo.years.observe { _, _ in }
      if isTransaction {
        person.performChanges { $0.age = 40 }
      } else {
        person.age = 40
      }
    }
    defer { observation?.invalidate() }
    let id = try #require(
      inspection.objects(search: "Team").classes.first?.objects.first?.id)
    let graph = try #require(inspection.graph(around: id))
    let titles = Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.id, $0.title) })
    #expect(
      Set(graph.edges.map { "\(titles[$0.from]!) \($0.kind) \(titles[$0.to]!)" })
        == ["age depends years", "years observes closure"])
    #expect(graph.lit.map { titles[$0] } == ["age", "years", "closure"])
    #expect(graph.edges.contains { $0.words.contains("Team.years through members") })
  }

  @Test("The nodes of a delivery and of its change are its cause in the graph")
  func nodes() throws {
    let person = Person()
    let team = Team()
    team.members = [person]
    var observation: KeyValueObservation?
    var inspection = inspection {
      observation = team.kvo.years.observe { _, _ in }
      person.age = 40
    }
    defer { observation?.invalidate() }
    let cascade = try #require(inspection.batch(now: 0, seconds: 1).cascades.last)
    #expect(cascade.spans.map(\.kind) == [.change, .delivery])
    let id = try #require(
      inspection.objects(search: "Team").classes.first?.objects.first?.id)
    let graph = try #require(inspection.graph(around: id))
    #expect(graph.lit.count == 3)
    #expect(cascade.spans.flatMap(\.nodes) == graph.lit)
  }

  @Test("An observer that sets its own key forms a cycle in the graph")
  func cycle() throws {
    let person = Person()
    let inspection = inspection {
      let observation = person.kvo.age.observe { person, _ in
        if person.age < 40 { person.age += 1 }
      }
      person.age = 38
      _ = observation
    }
    let graph = try #require(inspection.graph(around: "1"))
    #expect(graph.edges.map(\.kind).sorted() == ["observes", "sets"])
    #expect(graph.edges[0].from == graph.edges[1].to)
    #expect(graph.edges[0].to == graph.edges[1].from)
  }

  /// A team of people, whose ages were set once.
  private func team(of count: Int) -> (inspection: Inspection, id: String) {
    let people = (1...count).map { _ in Person() }
    let team = Team()
    team.members = people
    let inspection = inspection {
      let observation = team.kvo.years.observe { _, _ in }
      for person in people { person.age = 1 }
      _ = observation
    }
    return (inspection, inspection.objects(search: "Team").suggested ?? "")
  }

  @Test("Keys of a list's elements are one node with their number, which can be opened")
  func combined() throws {
    let (inspection, id) = team(of: 100)
    let graph = try #require(inspection.graph(around: id))
    #expect(graph.note == "Team 1: the edges to and from its keys.")
    #expect(graph.nodes.map(\.title) == ["years", "age", "closure, ended"])
    let ages = try #require(graph.nodes.first { $0.title == "age" })
    #expect(ages.detail == "100 × Person")
    #expect(ages.words == "Person.age of 100 objects; click to open")
    #expect(Set(ages.members).count == 100)
    #expect(
      graph.edges.map(\.words).sorted() == [
        "affects it: Team.years through members.age, 100 times", "is observed",
      ])
    #expect(graph.edges.filter(\.isCombined).map(\.from) == [ages.id])
    #expect(graph.lit == [ages.id] + graph.nodes.filter { $0.isSelected }.map(\.id))

    let opened = try #require(inspection.graph(around: id, opened: [ages.id]))
    #expect(opened.nodes.count == 60)
    #expect(opened.nodes.prefix(3).map(\.title) == ["years", "age", "closure, ended"])
    #expect(
      (opened.nodes[1...1] + opened.nodes[3...]).allSatisfy { ages.members.contains($0.id) })
    #expect(opened.note.hasSuffix("Nodes not drawn: 42."))
    #expect(opened.edges.count == 59)
  }

  @Test("What is lit is drawn first, so that an opened node's members don't displace it")
  func litAmongMany() throws {
    let (inspection, id) = team(of: 100)
    let ages = try #require(inspection.graph(around: id)?.nodes.first { $0.title == "age" })
    // The person whose age was set last.
    let opened = try #require(inspection.graph(around: id, opened: [ages.id]))
    let last = try #require(opened.nodes.first { $0.detail == "Person 100 = 1" })
    let others = opened.nodes.filter { $0.isSelected }.map(\.id)
    #expect(opened.lit == [last.id] + others)
    #expect(Set(opened.nodes.prefix(3).map(\.id)) == Set(opened.lit))

    // The nodes that another event lights.
    let drawn = Set(opened.nodes.map(\.id))
    let hidden = ages.members.filter { !drawn.contains($0) }
    #expect(hidden.count == 42)
    for node in hidden {
      let graph = inspection.graph(around: id, opened: [ages.id], lighting: [node])
      #expect(graph?.nodes.first?.id == node)
      #expect(graph?.nodes.count == 60)
      #expect(graph?.lit == opened.lit)
    }
    // A lit member of a closed node lights that node; what isn't near is not drawn.
    let closed = inspection.graph(around: id, lighting: [hidden[0], "elsewhere"])
    #expect(closed?.nodes.map(\.id).first == ages.id)
    #expect(closed?.nodes.count == 3)
  }

  @Test("A few objects of one class aren't combined")
  func few() throws {
    let (three, threeID) = team(of: 3)
    #expect(three.graph(around: threeID)?.nodes.map(\.members) == [[], [], [], [], []])
    let (four, fourID) = team(of: 4)
    #expect(four.graph(around: fourID)?.nodes.map(\.members.count) == [0, 4, 0])
  }

  @Test("Observers of the elements that were registered at one place are one node")
  func combinedObservers() throws {
    let people = (1...9).map { _ in Person() }
    let team = Team()
    team.members = people
    var observations: [KeyValueObservation] = []
    let line = #line + 3
    let inspection = inspection {
      observations.append(team.kvo.years.observe { _, _ in })
      observations += people.map { $0.kvo.age.observe { _, _ in } }
      for person in people { person.age += 1 }
    }
    defer { observations.removeAll() }
    let id = try #require(inspection.objects(search: "Team").classes.first?.objects.first?.id)
    let graph = try #require(inspection.graph(around: id))
    let place = "RosterTests.swift:\(line)"
    let node = try #require(graph.nodes.first { $0.detail == place })
    #expect(node.kind == "observer")
    #expect(node.title == "9 × closure")
    #expect(
      node.words
        == "closure of Person.age of 9 objects, called 9 times, registered at \(place); "
        + "click to open")
    #expect(graph.nodes.count == 4)
    // Around an element, its own nodes are apart.
    let element = try #require(inspection.objects(search: "Person").classes.first?.objects[0].id)
    let around = try #require(inspection.graph(around: element))
    #expect(around.nodes.filter(\.isSelected).map(\.title) == ["age", "closure"])
    #expect(around.nodes.filter { !$0.members.isEmpty }.map(\.members.count) == [8, 8])
  }

  @Test("Elements that lead to one another aren't drawn as a cycle")
  func chain() throws {
    let people = (1...6).map { _ in Person() }
    var observations: [KeyValueObservation] = []
    let inspection = inspection {
      observations.append(
        people[0].kvo.age.observe { first, _ in
          for person in people.dropFirst() { person.age = first.age }
        })
      for index in 1..<6 {
        let next = index < 5 ? people[index + 1] : nil
        observations.append(
          people[index].kvo.age.observe { [weak next] person, _ in
            if let next, next.age < person.age { next.age = person.age }
          })
      }
      people[0].age = 50
    }
    defer { observations.removeAll() }
    let graph = try #require(inspection.graph(around: "1", opened: []))
    let combined = Set(graph.nodes.filter { !$0.members.isEmpty }.map(\.id))
    #expect(!combined.isEmpty)
    let atCombined = graph.edges.filter { combined.contains($0.from) || combined.contains($0.to) }
    #expect(!atCombined.isEmpty)
    #expect(atCombined.map(\.isCombined) == atCombined.map { _ in true })
    #expect(graph.edges.allSatisfy { $0.from != $0.to })
  }

  @Test("The number of objects is limited; those without observers are dropped first")
  func room() {
    var limits = Inspection.Limits()
    limits.objects = 40
    let kept = (1...5).map { _ in Person() }
    let others = (1...200).map { _ in Person() }
    var observations: [KeyValueObservation] = []
    let inspection = inspection(limits: limits) {
      observations = kept.map { $0.kvo.name.observe { _, _ in } }
      for person in others { person.kvo.name.observe { _, _ in }.invalidate() }
    }
    defer { observations.removeAll() }
    let answer = inspection.objects(search: "")
    let names = answer.classes.flatMap { $0.objects.map(\.name) }
    #expect(names.count <= 40)
    #expect(names.prefix(5) == ["Person 1", "Person 2", "Person 3", "Person 4", "Person 5"])
    #expect(answer.shown + answer.leftOut == 205)
  }

  @Test("An unknown object has no answer")
  func unknown() {
    let inspection = Inspection()
    #expect(inspection.object(id: "1") == nil)
    #expect(inspection.graph(around: "../1") == nil)
    #expect(
      inspection.objects(search: "") == .init(classes: [], shown: 0, leftOut: 0, suggested: nil))
  }
}

import KeyValueObserving

// Key paths in every form, and changes of the values that they lead to.

extension SilenceRow {
  static func paths() -> [SilenceRow] { typed() + refused() }
  static func stringPaths() -> [SilenceRow] { strings() + refusedStrings() }

  private static func typed() -> [SilenceRow] {
    [
      SilenceRow("An optional object", #"garage.observe(\.car.speed…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.car.speed, options: .new, changeHandler: witness.heard))
        garage.car?.speed = 7
      },
      SilenceRow("The same with ?", #"garage.observe(\.car?.speed…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.car?.speed, options: .new, changeHandler: witness.heard))
        garage.car?.speed = 7
      },
      SilenceRow("An object that comes later", #"garage.observe(\.spare?.speed…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.spare?.speed, options: .new, changeHandler: witness.heard))
        garage.spare = Car()
        garage.spare?.speed = 7
      },
      SilenceRow("A member of a structure", #"garage.observe(\.size.width…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.size.width, options: .new, changeHandler: witness.heard))
        garage.size.width = 7
      },
      SilenceRow("An object in a structure", #"garage.observe(\.bay.car.speed…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.bay.car.speed, options: .new, changeHandler: witness.heard))
        garage.bay.car.speed = 7
      },
      SilenceRow("The first of an array", #"garage.observe(\.cars.first?.speed…)"#) { witness in
        let garage = Garage()
        witness.keep(
          garage.observe(\.cars.first?.speed, options: .new, changeHandler: witness.heard))
        garage.cars[0].speed = 7
      },
      SilenceRow("An index of an array", #"garage.observe(\.cars[0].speed…)"#) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.cars[0].speed, options: .new, changeHandler: witness.heard))
        garage.cars[0].speed = 7
      },
      SilenceRow("An enum's payload, by a computed member", #"garage.observe(\.place.car?.speed…)"#)
      {
        witness in
        let garage = Garage()
        witness.keep(
          garage.observe(\.place.car?.speed, options: .new, changeHandler: witness.heard))
        garage.place.car?.speed = 7
      },
      SilenceRow("An operator", #"garage.observe(\.cars[sum: \.speed]…)"#) { witness in
        let garage = Garage()
        witness.keep(
          garage.observe(\.cars[sum: \.speed], options: .new, changeHandler: witness.heard))
        garage.cars[0].speed = 7
      },
      SilenceRow("Every element", #"garage.observe(\.cars[each: \.speed]…)"#) { witness in
        let garage = Garage()
        witness.keep(
          garage.observe(\.cars[each: \.speed], options: .new, changeHandler: witness.heard))
        garage.cars[1].speed = 7
      },
      SilenceRow(
        "A protocol's requirement, behind an existential", #"garage.observe(\.any.speed…)"#
      ) {
        witness in
        let garage = Garage()
        witness.keep(garage.observe(\.any.speed, options: .new, changeHandler: witness.heard))
        (garage.any as? Car)?.speed = 7
      },
      SilenceRow(
        "A protocol's requirement, in generic code",
        #"func follow<T: Driven & KeyValueObservable>…"#
      ) { witness in
        func follow<T: Driven & KeyValueObservable>(_ object: T) -> KeyValueObservation {
          object.observe(\.speed, options: .new, changeHandler: witness.heard)
        }
        let car = Car()
        witness.keep(follow(car))
        car.speed = 7
      },
      SilenceRow(
        "An override with didSet in a final class",
        #"override var speed: Int { didSet { laps += 1 } }"#
      ) { witness in
        let racer = Racer()
        witness.keep(racer.observe(\.speed, options: .new, changeHandler: witness.heard))
        racer.speed = 7
      },
      SilenceRow(
        "The same in a final class without the macro", #"override var speed: Int { didSet {} }"#
      ) { witness in
        let kart = Kart()
        witness.keep(kart.observe(\.speed, options: .new, changeHandler: witness.heard))
        kart.speed = 7
      },
    ]
  }

  private static func refused() -> [SilenceRow] {
    [
      SilenceRow("An object of a class without the macro", #"garage.observe(\.engine.power…)"#) {
        witness in
        let garage = Garage()
        witness.keep(garage.observe(\.engine.power, options: .new, changeHandler: witness.heard))
        garage.engine.power = 7
      },
      SilenceRow(
        "A member of a protocol's extension, behind an existential",
        #"garage.observe(\.any.double…)"#
      ) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.any.double, options: .new, changeHandler: witness.heard))
        (garage.any as? Car)?.speed = 7
      },
      SilenceRow(
        "A computed member of a structure that reads an object", #"garage.observe(\.bay.speed…)"#
      ) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.bay.speed, options: .new, changeHandler: witness.heard))
        garage.bay.car.speed = 7
      },
      SilenceRow(
        "A computed property of an array's extension", #"garage.observe(\.cars.fastest…)"#
      ) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.cars.fastest, options: .new, changeHandler: witness.heard))
        garage.cars[0].speed = 7
      },
      SilenceRow(
        "A member that @dynamicMemberLookup passes on", #"garage.observe(\.lift.speed…)"#
      ) { witness in
        let garage = Garage()
        witness.keep(garage.observe(\.lift.speed, options: .new, changeHandler: witness.heard))
        garage.lift.car.speed = 7
      },
      SilenceRow(
        "A property of an extension that has a key's value at the moment",
        #"car.observe(\.display…)"#
      ) { witness in
        let car = Car()
        witness.keep(car.observe(\.display, options: .new, changeHandler: witness.heard))
        car.name = ""
      },
      SilenceRow(
        "The same in a final class without the macro", #"kart.observe(\.sign…)"#
      ) { witness in
        let kart = Kart()
        witness.keep(kart.observe(\.sign, options: .new, changeHandler: witness.heard))
        kart.name = ""
        kart.nick = "k"
      },
      SilenceRow("A property of a subclass without the macro", #"kart.observe(\.tyres…)"#) {
        witness in
        let kart = Kart()
        witness.keep(kart.observe(\.tyres, changeHandler: witness.heard))
        kart.tyres = 7
      },
      SilenceRow("A property of a superclass without the macro", #"tram.observe(\.weight…)"#) {
        witness in
        let tram = Tram()
        witness.keep(tram.observe(\.weight, changeHandler: witness.heard))
        tram.weight = 7
      },
      SilenceRow("An ignored property", #"car.observe(\.memo…)"#) { witness in
        let car = Car()
        witness.keep(car.observe(\.memo, changeHandler: witness.heard))
        car.memo = [7: true]
      },
      SilenceRow(
        "A property of an extension, beside an ignored one of its type", #"car.observe(\.sizes…)"#
      ) { witness in
        let car = Car()
        witness.keep(car.observe(\.sizes, changeHandler: witness.heard))
        car.name = "b"
      },
      SilenceRow("A property of an extension", #"car.observe(\.loud…)"#) { witness in
        let car = Car()
        witness.keep(car.observe(\.loud, changeHandler: witness.heard))
        car.name = "b"
      },
      SilenceRow("A property of a protocol's extension", #"car.observe(\.double…)"#) { witness in
        let car = Car()
        witness.keep(car.observe(\.double, changeHandler: witness.heard))
        car.speed = 7
      },
      SilenceRow("Several components behind the root type", #"garage.observe(\Garage.car?.speed…)"#)
      {
        witness in
        let garage = Garage()
        witness.keep(garage.observe(\Garage.car?.speed, changeHandler: witness.heard))
        garage.car?.speed = 7
      },
      SilenceRow(
        "A member of all elements together, and on into an object",
        #"garage.observe(\.fleets[each: \.lead].first?.speed…)"#
      ) { witness in
        let garage = Garage()
        witness.keep(
          garage.observe(\.fleets[each: \.lead].first?.speed, changeHandler: witness.heard))
        garage.fleets[0].lead.speed = 7
      },
      SilenceRow("A constant", #"spot.kvo.number.observe…"#) { witness in
        let spot = Spot()
        witness.keep(spot.kvo.number.observe(changeHandler: witness.heard))
      },
      SilenceRow("A binding to a constant", #"bind(to: spot.kvo.number)"#) { witness in
        let spot = Spot()
        witness.keep(Car().kvo.speed.bind(to: spot.kvo.number))
      },
      SilenceRow("self alone", #"car.observe(\.self…)"#) { witness in
        let car = Car()
        witness.keep(car.observe(\.self, changeHandler: witness.heard))
        car.speed = 7
      },
      SilenceRow(
        "A computed member of a structure behind a class without the macro",
        #"garage.observe(\.motor.gear.ratio…)"#
      ) {
        witness in
        let garage = Garage()
        witness.keep(garage.observe(\.motor.gear.ratio, changeHandler: witness.heard))
        garage.motor.gear.teeth = 7
      },
    ]
  }

  /// Observes a string path while a change is made.
  private static func string(
    _ title: String, _ keyPath: String, _ code: String, change: @escaping (Garage) throws -> Void
  ) -> SilenceRow {
    SilenceRow(title, code) { witness in
      let garage = Garage()
      witness.keep(try garage.observe(keyPath, options: .new, changeHandler: witness.heard))
      try change(garage)
    }
  }

  private static func strings() -> [SilenceRow] {
    let speed: (Garage) -> Void = { $0.car?.speed = 7 }
    let first: (Garage) -> Void = { $0.cars[0].speed = 7 }
    let named: (Garage) -> Void = { $0.byName["a"]?.speed = 7 }
    return [
      string("Objects", "car.speed", #""car.speed""#, change: speed),
      string("self on the way", "car.self.speed", #""car.self.speed""#, change: speed),
      string("self first", "self.car.speed", #""self.car.speed""#, change: speed),
      string("An element's key", "cars.speed", #""cars.speed""#, change: first),
      string("An operator", "cars.@max.speed", #""cars.@max.speed""#, change: first),
      string(
        "An operator over self", "cars.@sum.self.speed", #""cars.@sum.self.speed""#, change: first),
      string("An operator that can't use a value", "cars.@sum.name", #""cars.@sum.name""#) {
        $0.cars[0].name = "b"
      },
      string("A count", "cars.@count", #""cars.@count""#) { $0.cars.append(Car()) },
      string("A count without its @", "cars.count", #""cars.count""#) { $0.cars.append(Car()) },
      string("A dictionary", "byName.a.speed", #""byName.a.speed""#, change: named),
      string("A dictionary of anything", "anything.a.speed", #""anything.a.speed""#) {
        ($0.anything["a"] as? Car)?.speed = 7
      },
      string("Dictionaries in an array", "rows.car.speed", #""rows.car.speed""#) {
        $0.rows[0]["car"]?.speed = 7
      },
      string(
        "An operator behind a dictionary", "lists.both.@sum.speed", #""lists.both.@sum.speed""#
      ) {
        $0.lists["both"]?[0].speed = 7
      },
      string("A dictionary that is set by a path", "byName.b", #""byName.b""#) {
        try $0.setValue(Car(), forKeyPath: "byName.b")
      },
    ]
  }

  private static func refusedStrings() -> [SilenceRow] {
    let nothing: (Garage) -> Void = { _ in }
    return [
      string("A misspelt key", "car.sped", #""car.sped""#, change: nothing),
      string("A misspelt first key", "carr", #""carr""#, change: nothing),
      string("A misspelt key behind self", "car.self.sped", #""car.self.sped""#, change: nothing),
      string(
        "A misspelt key behind a dictionary", "byName.a.sped", #""byName.a.sped""#, change: nothing),
      string("A value without keys", "car.name.length", #""car.name.length""#, change: nothing),
      string(
        "An object of a class without the macro", "engine.power", #""engine.power""#,
        change: nothing),
      string("An ignored property", "car.memo", #""car.memo""#, change: nothing),
      string("An unknown operator", "cars.@total.speed", #""cars.@total.speed""#, change: nothing),
      string("An operator of an object", "car.@sum.speed", #""car.@sum.speed""#, change: nothing),
      SilenceRow("An empty path", #"garage.observe("")"#) { _ in
        let garage = Garage()
        _ = try garage.observe("") { _, _ in }
      },
      string("An empty component", "car..speed", #""car..speed""#, change: nothing),
      SilenceRow("A misspelt key while the object is nil", #""left.carr""#) { witness in
        witness.keep(try Garages().observe("left.carr", changeHandler: witness.heard))
      },
      SilenceRow("A key that only a subclass may have", #""spare.boost""#) { witness in
        let garage = Garage()
        witness.keep(try garage.observe("spare.boost", options: .new, changeHandler: witness.heard))
        garage.spare = Turbo()
      },
      SilenceRow("An object without the key that comes later", #""spare.power""#) { witness in
        let garage = Garage()
        garage.spare = Turbo()
        witness.keep(try garage.observe("spare.power", options: .new, changeHandler: witness.heard))
        garage.spare = Car()
      },
      SilenceRow("A dependency that one object does not have", #"@DependsOn("car.power")"#) {
        witness in
        let bay = PowerBay()
        witness.keep(bay.observe(\.power, options: .new, changeHandler: witness.heard))
        bay.car = Turbo()
        bay.car = Car()
      },
      SilenceRow("A private property", #""secret""#) { witness in
        witness.keep(try PowerBay().observe("secret", changeHandler: witness.heard))
      },
      string("A later value that has no keys", "anything.b.speed", #""anything.b.speed""#) {
        $0.anything["b"] = "no car"
      },
      SilenceRow("Reading what a value does not have", #"value(forKeyPath: "name.length")"#) { _ in
        _ = try Car().value(forKeyPath: "name.length")
      },
    ]
  }
}

@KeyValueObservable
private final class Spot {
  let number = 1
}

@KeyValueObservable
private final class Garages {
  var left: Garage?
}

@KeyValueObservable
private final class Turbo: Car {
  var boost = 1
  var power = 2
}

@KeyValueObservable
private final class PowerBay {
  var car = Car()
  @DependsOn("car.power") var power: Int { (car as? Turbo)?.power ?? 0 }
  private var secret = 1
  var doubled: Int { secret * 2 }
}

private protocol Driven { var speed: Int { get } }

extension Driven {
  fileprivate var double: Int { speed * 2 }
}

@KeyValueObservable
private class Car: Driven, CustomStringConvertible {
  var description: String { name }
  var name = "a"
  var nick = "b"
  var speed = 1
  @KeyValueIgnored var memo: [Int: Bool] = [:]
}

extension Car {
  fileprivate var loud: [String] { [name] }
  fileprivate var sizes: [Int: Bool] { [name.count: true] }
  fileprivate var display: String { name.isEmpty ? nick : name }
}

extension Kart {
  fileprivate var sign: String { name.isEmpty ? nick : name }
}

extension [Car] {
  fileprivate var fastest: Int { map(\.speed).max() ?? 0 }
}

@KeyValueObservable
private final class Racer: Car {
  var laps = 0
  override var speed: Int { didSet { laps += 1 } }
}

private final class Kart: Car {
  var tyres: Float = 4
  override var speed: Int { didSet {} }
}

private class Vehicle {
  var weight = 1.0
}

@KeyValueObservable
private final class Tram: Vehicle {
  var line = 1
}

private final class Engine {
  var power = 1
  var gear = Gear()
}

private struct Gear {
  var teeth = 1
  var ratio: Int { teeth * 2 }
}

private struct Size { var width = 1 }

private struct Bay {
  let car = Car()
  var speed: Int { car.speed }
}

@dynamicMemberLookup
private struct Lift {
  let car = Car()
  subscript<Value>(dynamicMember keyPath: KeyPath<Car, Value>) -> Value { car[keyPath: keyPath] }
}

private enum Place {
  case empty, taken(Car)

  var car: Car? { if case .taken(let car) = self { car } else { nil } }
}

@KeyValueObservable
private final class Fleet {
  var lead = Car()
}

@KeyValueObservable
private final class Garage {
  var fleets = [Fleet()]
  var car: Car? = Car()
  var spare: Car?
  var cars = [Car(), Car()]
  var size = Size()
  var bay = Bay()
  var lift = Lift()
  var place = Place.taken(Car())
  var any: any Driven = Car()
  var engine = Engine()
  var motor = Engine()
  var byName = ["a": Car()]
  var anything: [String: Any] = ["a": Car()]
  var rows = [["car": Car()]]
  var lists = ["both": [Car(), Car()]]
}

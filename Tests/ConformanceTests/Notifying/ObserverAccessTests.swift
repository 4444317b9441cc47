import KeyValueObserving
import KeyValueTestSupport
import Testing

private func later(_ body: @escaping () -> Void) { body() }
private func now(_ body: () -> Void) { body() }

/// Property observers that use their own property, in each context that Swift treats differently.
@KeyValueObservable
private final class Annotated {
  @KeyValueIgnored var trace: [String] = []

  var percent: Int? {
    didSet { if let percent, percent >= 0 { trace.append("\(percent)") } else { percent = nil } }
  }
  var level: Int? {
    didSet {
      guard let level, level >= 0 else {
        level = 0
        return
      }
      trace.append("level \(level)")
    }
  }
  var direct = 0 { didSet { if direct < 3 { self.direct += 1 } } }
  var escaping = 0 {
    didSet {
      trace.append("escaping \(escaping)")
      later { [weak self] in
        guard let self, escaping < 3 else { return }
        self.escaping += 1
      }
    }
  }
  var immediate = 0 {
    didSet {
      trace.append("immediate \(immediate)")
      now { if immediate < 3 { immediate += 1 } }
    }
  }
  var local = 0 {
    didSet {
      trace.append("local \(local)")
      func next() { if local < 3 { local += 1 } }
      next()
    }
  }
  var list = [1] { didSet { now { if list.count < 4 { list.append(list.count) } } } }

  func run() {
    (percent, level, direct, escaping, immediate, local) = (-1, -1, 1, 1, 1, 1)
    (percent, level) = (5, 6)
    list.append(7)
  }
}

/// The same class without the macro.
private final class Plain {
  var trace: [String] = []

  var percent: Int? {
    didSet { if let percent, percent >= 0 { trace.append("\(percent)") } else { percent = nil } }
  }
  var level: Int? {
    didSet {
      guard let level, level >= 0 else {
        level = 0
        return
      }
      trace.append("level \(level)")
    }
  }
  var direct = 0 { didSet { if direct < 3 { self.direct += 1 } } }
  var escaping = 0 {
    didSet {
      trace.append("escaping \(escaping)")
      later { [weak self] in
        guard let self, escaping < 3 else { return }
        self.escaping += 1
      }
    }
  }
  var immediate = 0 {
    didSet {
      trace.append("immediate \(immediate)")
      now { if immediate < 3 { immediate += 1 } }
    }
  }
  var local = 0 {
    didSet {
      trace.append("local \(local)")
      func next() { if local < 3 { local += 1 } }
      next()
    }
  }
  var list = [1] { didSet { now { if list.count < 4 { list.append(list.count) } } } }

  func run() {
    (percent, level, direct, escaping, immediate, local) = (-1, -1, 1, 1, 1, 1)
    (percent, level) = (5, 6)
    list.append(7)
  }
}

@Suite("N. Changes made by a property's own observers")
struct ObserverAccessTests {
  private let log = ChangeLog()

  @Test("N1 A didSet runs as often as in a class without the macro, observed or not")
  func sameAsPlain() throws {
    let plain = Plain()
    plain.run()
    for isObserved in [false, true] {
      let object = Annotated()
      let tokens =
        isObserved
        ? try ["percent", "level", "direct", "escaping", "immediate", "local", "list"].map {
          try object.observe($0) { _, _ in }
        } : []
      object.run()
      #expect(object.trace == plain.trace)
      #expect(object.percent == plain.percent && object.level == plain.level)
      #expect(object.direct == plain.direct && object.escaping == plain.escaping)
      #expect(object.immediate == plain.immediate && object.local == plain.local)
      #expect(object.list == plain.list)
      withExtendedLifetime(tokens) {}
    }
    #expect(
      plain.trace == [
        "escaping 1", "escaping 2", "escaping 3", "immediate 1", "immediate 2", "immediate 3",
        "local 1", "local 2", "local 3", "5", "level 6",
      ])
  }

  @Test("N1 A set in a closure inside didSet is a change; a set in didSet itself isn't")
  func heard() throws {
    let object = Annotated()
    let tokens = try ["percent", "level", "direct", "escaping", "list"].map {
      try object.observe($0, options: [.old, .new], changeHandler: log.handler($0))
    }
    object.percent = -1
    object.level = -1
    object.direct = 1
    #expect(
      log.take() == [
        "percent: setting, old: nil, new: nil", "level: setting, old: nil, new: 0",
        "direct: setting, old: 0, new: 2",
      ])
    object.escaping = 2
    #expect(
      log.take() == [
        "escaping: setting, old: 2, new: 3", "escaping: setting, old: 0, new: 3",
      ])
    object.list.append(7)
    #expect(
      log.take() == [
        "list: setting, old: [1, 7, 2], new: [1, 7, 2, 3]",
        "list: setting, old: [1, 7], new: [1, 7, 2, 3]",
        "list: setting, old: [1], new: [1, 7, 2, 3]",
      ])
    withExtendedLifetime(tokens) {}
  }
}

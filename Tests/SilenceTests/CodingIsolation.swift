#if KVO_CODING_WRONG
  // Conformances of isolated classes that state no isolation and need it. This file isn't compiled with the
  // tests: `CodingIsolationTests` type-checks it.

  import KeyValueObserving

  @MainActor @KeyValueObservable
  private final class Desk: Codable {
    var drawers = 1
  }

  @MainActor @KeyValueObservable
  private final class Chair: Encodable, Identifiable {
    let id = 1
    @KeyValueIgnored var legs = 4
  }
#endif

#if KVO_CODING_RIGHT
  import KeyValueObserving

  // Decoding is an initialiser, which may set the variables.
  @MainActor @KeyValueObservable
  private final class Decoded: Decodable {
    var number = 1
  }

  @MainActor @KeyValueObservable
  private final class Constant: Encodable {
    let number = 1
  }

  @MainActor @KeyValueObservable
  private final class Isolated: @MainActor Codable {
    var number = 1
  }

  @MainActor @KeyValueObservable
  private final class Checked: @preconcurrency Codable {
    var number = 1
  }

  @MainActor @KeyValueObservable
  private final class Own: Encodable {
    var number = 1
    nonisolated func encode(to encoder: any Encoder) throws {}
  }

  @MainActor @KeyValueObservable
  fileprivate final class OwnInExtension: Encodable {
    var number = 1
  }

  extension OwnInExtension {
    nonisolated fileprivate func encode(to encoder: any Encoder) throws {}
  }

  private protocol Saved: Encodable {}

  extension Saved {
    func encode(to encoder: any Encoder) throws {}
  }

  @MainActor @KeyValueObservable
  private final class OwnInProtocol: Encodable, Saved {
    var number = 1
  }
#endif

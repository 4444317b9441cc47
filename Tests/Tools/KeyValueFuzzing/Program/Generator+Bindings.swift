extension ProgramGenerator {
  /// A binding, or an assignment if there are enough; few keys, so that bindings form chains and circles.
  mutating func binding() -> Operation {
    guard bindingsLeft > 0 else { return .mutate(object(), .assign("number", .int(below(100)))) }
    bindingsLeft -= 1
    var binding = Binding(
      token: makeToken(), source: object(), path: "number", target: object(), key: "number",
      transformation: .plain, isTwoWay: chance(50), validates: chance(40))
    switch below(10) {
    case 0..<3:
      binding.path = pick(["number", "number", "width"])
      binding.key = pick(ProgramGenerator.boundKeys)
    case 3:
      binding.path = "text"
      binding.key = "text"
    case 4..<6:
      binding.path = pick(["next.number", "peer.number", "next.width"])
      binding.key = pick(ProgramGenerator.boundKeys)
    case 6..<8:
      binding.transformation = .lossy
      binding.path = numberPath(isSettable: binding.isTwoWay)
      binding.key = pick(ProgramGenerator.boundKeys)
    default:
      binding.transformation = .digits
      binding.path = numberPath(isSettable: binding.isTwoWay)
      binding.key = "text"
    }
    return .bind(binding)
  }

  private static let boundKeys = ["number", "number", "width", "width", "manual", "pulse"]

  private mutating func numberPath(isSettable: Bool) -> String {
    isSettable
      ? pick(["number", "number", "width", "doubled"])
      : pick(["number", "width", "reach", "total", "items.@sum.number", "doubled"])
  }
}

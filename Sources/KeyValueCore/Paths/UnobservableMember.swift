/// A component of a typed path that can't be observed.
struct UnobservableMember: Error, CustomStringConvertible {
  let description: String
}

/// The elements that entered and left a collection in one change.
@usableFromInline
struct Membership {
  var left: [Any?] = []
  var entered: [Any?] = []
}

/// Objects that are kept alive for a while, and let go of one after the other.
///
/// A variable would do, if debug builds did not keep its value until the end of its scope.
final class Kept {
  private var objects: [AnyObject]

  init(_ objects: [AnyObject]) {
    self.objects = objects.reversed()
  }

  func letGo() {
    while objects.popLast() != nil {}
  }
}

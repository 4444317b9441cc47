/// Objects that are kept alive for a while, and then released one after the other.
///
/// A variable doesn't suffice, because debug builds keep its value until the end of its scope.
final class Kept {
  private var objects: [AnyObject]

  init(_ objects: [AnyObject]) {
    self.objects = objects.reversed()
  }

  func letGo() {
    while objects.popLast() != nil {}
  }
}

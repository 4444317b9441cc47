/// What lets an initialiser return an object of a subclass.
///
/// An initialiser in an extension of a class can't replace its object; one in an extension of a protocol can.
protocol Made {}

extension Made where Self: AnyObject {
  /// Returns the object, which is of this class or of a subclass.
  init(made object: AnyObject) { self = object as! Self }
}

/// An unretained reference, for code that knows by other means that the object exists.
struct UnretainedObject {
  unowned(unsafe) let object: any KeyValueObservable
}

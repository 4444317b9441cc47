/// An object's reference without a retain, for whoever knows in another way that the object is there.
struct UnretainedObject {
  unowned(unsafe) let object: any KeyValueObservable
}

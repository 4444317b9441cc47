import KeyValueObserving

@KeyValueObservable
final class Person {
  var age = 0
}

/// A mutation whose observers have been told that it is coming.
protocol AnnouncedMutation: AnyObject, Sendable {}

import KvoTour

TourCommand.main()

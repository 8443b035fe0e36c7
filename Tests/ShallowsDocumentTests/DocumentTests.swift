import Testing

@Suite struct DocumentTests {
  @Test(
    arguments: [
      KeepingCities(), UsingStorages(), MappingImages(), Composing(), RestrictingStorages(),
      KeepingSettings(),
      WaitingForStorages(), UpdatingArrays(), ZippingStorages(), RecoveringFromErrors(), CachingObjects(),
      MakingOneself(), ThreeLayers(),
    ] as [any Program])
  func `What was shown for versions 0.11 to 0.13 does what it was shown for`(_ program: any Program) throws {
    try program.run()
  }

  @Test(arguments: [CitiesOfNine(), ReadingResultsOfNine(), ComposingOfNine()] as [any Program])
  func `What was shown for version 0.9 does what it was shown for`(_ program: any Program) throws {
    try program.run()
  }

  @Test(
    arguments: [
      PlayersOfFive(), MappingOfFive(), ImagesOfFive(), ReadingOnlyOfFive(), SettingsOfFive(),
      StrategiesOfFive(),
      CompletionsOfFive(), ReadableOfFive(),
    ] as [any Program])
  func `What was shown for version 0.5 does what it was shown for`(_ program: any Program) throws {
    try program.run()
  }
}

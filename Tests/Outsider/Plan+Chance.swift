import Sediment

extension Plan {
  /// The plan of a seed.
  init(seed: UInt64) {
    var chance = PlanChance(seed: seed)
    self = chance.plan()
  }
}

/// Draws plans: what a store is opened as, how much it holds, of what lengths, and what is done with it in turns.
struct PlanChance {
  private var dice: Dice
  private var settings = Settings()
  private var threadCount = 1
  /// About how many bytes are to be held.
  private var held = 1 << 20
  private var sizes = Sizes(100...100)
  private var keySizes = Sizes(8...16)
  private var content = Content.random
  private var spaces = 0
  private var expiring = 0

  /// What is done again and again.
  private enum Round {
    case cycle, overwriting, batches, everything, kills
  }

  init(seed: UInt64) { dice = Dice(seed: seed) }

  mutating func plan() -> Plan {
    drawStore()
    var plan = Plan()
    plan.settings = settings
    plan.threadCount = threadCount
    let round = dice.one(weighted: [
      (5, Round.cycle), (4, .overwriting), (3, .batches), (3, .everything), (3, .kills),
    ])
    for _ in 0..<dice.number(in: 1...3) {
      switch round {
      case .cycle: cycle(&plan.steps)
      case .overwriting: overwriting(&plan.steps)
      case .batches: batches(&plan.steps)
      case .everything: everything(&plan.steps)
      case .kills: kills(&plan.steps)
      }
      pause(&plan.steps)
      // Other lengths meet what those before have left.
      if dice.isWithin(40) { drawSizes() }
    }
    if settings.cap != nil, dice.isWithin(30) { reopening(&plan.steps) }
    plan.end = dice.one(weighted: [
      (2, .kept), (2, .reopened), (2, .everything), (1, .each), (2, .dropped), (1, .removed), (1, .closed),
    ])
    return plan
  }

  // MARK: What is stored

  private mutating func drawStore() {
    threadCount = dice.one(weighted: [(4, 1), (2, 2), (1, 3), (3, 4)])
    let cap =
      dice.one(weighted: [
        (2, 2), (2, 4), (3, 8), (4, 16), (2, 32), (4, 64), (2, 128), (1, 256), (1, 700),
      ]) << 20
    let capacity = dice.one(weighted: [
      (4, SedimentCapacity.unlimited), (5, .limited(maxBytes: UInt64(cap))),
      (3, .evicting(maxBytes: UInt64(cap))),
    ])
    settings = Settings(capacity, &dice)
    held =
      capacity == .unlimited
      ? dice.one(weighted: [(3, 1 << 20), (3, 8 << 20), (2, 50 << 20), (1, 300 << 20)])
      : cap / 100 * dice.one(of: [20, 45, 55, 75, 100])
    content = dice.one(weighted: [(6, .random), (1, .text), (1, .mixed), (1, .zeros)])
    spaces = dice.one(weighted: [(3, 0), (2, 1), (1, 3)])
    expiring = dice.one(weighted: [(4, 0), (1, 10), (1, 60)])
    drawSizes()
  }

  private mutating func drawSizes() {
    let all: [(Int, String)] = [
      (2, "9"), (4, "100"), (3, "0-200"), (3, "100-4000"), (4, "1~60000"), (2, "0-60000"), (3, "4000-16000"),
      (2, "140000+1000*16"), (1, "140000+14000"), (1, "140000+100*60"), (1, "120000-140000"), (2, "140000"),
      (3, "1M"), (2, "0~3M"),
      (1, "4M"), (1, "16M-20M"), (1, "128M"),
    ]
    // Several threads have a value each under way.
    let most = min(settings.cap ?? 2 * held, 2 * held) / (settings.evicts ? 10 : 4) / threadCount
    repeat { sizes = Sizes(dice.one(weighted: all))! } while sizes.most > max(most, 4000)
    keySizes = Sizes(
      dice.one(weighted: [
        (8, "8-16"), (2, "16"), (2, "0-40"), (1, "200-2000"), (most > 500_000 ? 1 : 0, "60000-65535"),
      ])
    )!
  }

  private func step(_ kind: Step.Kind) -> Step {
    var step = Step(kind)
    step.sizes = sizes
    step.keySizes = keySizes
    step.content = content
    step.spaces = spaces
    step.expiring = expiring
    step.keyCount = min(
      max(held / (sizes.mean + keySizes.mean + 40) / threadCount / (spaces + 1), 1), 200_000)
    return step
  }

  // MARK: What is done

  /// Filled, emptied in part or as a whole, and filled again.
  private mutating func cycle(_ steps: inout [Step]) {
    for _ in 0..<dice.number(in: 1...3) {
      steps.append(filling())
      if dice.isWithin(60) {
        steps.append(removing())
        if dice.isWithin(60) {
          if dice.isWithin(50) { drawSizes() }
          steps.append(filling())
        }
      }
      if dice.isWithin(60) { steps.append(clearing()) }
      pause(&steps)
    }
  }

  private mutating func filling() -> Step {
    var filling = step(.fill)
    filling.seconds = 5
    filling.expiring = 0
    if settings.cap == nil || dice.isWithin(40) { filling.amount = held }
    return filling
  }

  private mutating func removing() -> Step {
    var removing = step(.remove)
    removing.which = dice.one(of: Step.Which.allCases)
    removing.seconds = 3
    return removing
  }

  private mutating func clearing() -> Step {
    var clearing = Step(.clear)
    clearing.how = dice.one(of: Step.Clearing.allCases)
    return clearing
  }

  /// The same keys again and again, by all threads.
  private mutating func overwriting(_ steps: inout [Step]) {
    if dice.isWithin(40) { steps.append(filling()) }
    var churn = step(.churn)
    churn.mix = dice.isWithin(85) ? .overwrites : .reads
    churn.seconds = Double(dice.number(in: 1...3))
    churn.beside = beside()
    if dice.isWithin(30) { churn.expiring = 0 }
    steps.append(churn)
    if dice.isWithin(40) { steps.append(Step(.idle)) }
  }

  /// Many changes at once, some of the same key, then single ones.
  private mutating func batches(_ steps: inout [Step]) {
    var churn = step(.churn)
    churn.mix = .batches
    churn.members = dice.one(of: [2, 2, 10, 300])
    // A batch is no larger than what a full store has to take.
    let room = held / 10 / threadCount
    churn.members = min(churn.members, max(room / (churn.sizes.most + churn.keySizes.most), 2))
    churn.again = dice.one(of: [0, 20, 100])
    churn.beside = beside()
    steps.append(churn)
    var single = step(.churn)
    single.mix = .overwrites
    single.sizes = Sizes(9...9)
    single.seconds = 1
    if dice.isWithin(60) { steps.append(single) }
  }

  /// All calls that there are.
  private mutating func everything(_ steps: inout [Step]) {
    var churn = step(.churn)
    churn.keyCount = min(churn.keyCount, 20_000)
    churn.seconds = Double(dice.number(in: 1...3))
    churn.members = dice.one(of: [1, 8, 100])
    churn.members = min(
      churn.members, max(held / 10 / threadCount / (churn.sizes.most + churn.keySizes.most), 1))
    churn.beside = beside()
    steps.append(churn)
  }

  private mutating func kills(_ steps: inout [Step]) {
    for _ in 0..<dice.number(in: 1...3) {
      var kill = step(.kill)
      kill.keyCount = min(kill.keyCount, 5_000)
      kill.mix = dice.one(weighted: [(3, .everything), (1, .overwrites), (1, .batches)])
      kill.members = 4
      kill.seconds = Double(dice.number(in: 1...15)) / 10
      steps.append(kill)
    }
  }

  private mutating func beside() -> Step.Beside {
    dice.one(weighted: [(4, .nothing), (2, .compact), (2, .backup), (2, .close), (1, .iterate)])
  }

  /// Another cap in place of one; mostly a lower one.
  private mutating func changeCap(_ cap: Int) {
    let other = max(cap / 100 * dice.one(of: [25, 50, 80, 150]), 2 << 20)
    settings.capacity =
      settings.evicts ? .evicting(maxBytes: UInt64(other)) : .limited(maxBytes: UInt64(other))
    held = min(held, other)
    drawSizes()
  }

  /// What comes between.
  private mutating func pause(_ steps: inout [Step]) {
    let kind = dice.one(weighted: [
      (4, Step.Kind?.none), (2, .compact), (1, .idle), (1, .backup), (1, .sync), (3, .reopen), (1, .check),
    ])
    guard let kind else { return }
    if kind == .reopen, dice.isWithin(70) { reopening(&steps) } else { steps.append(Step(kind)) }
  }

  /// Opened again in another way.
  private mutating func reopening(_ steps: inout [Step]) {
    var step = Step(.reopen)
    settings.vary(&dice)
    if let cap = settings.cap, dice.isWithin(60) {
      // A file is as long as its cap once it was full, whatever it holds then.
      steps.append(filling())
      if !settings.evicts { steps.append(removing()) }
      changeCap(cap)
    }
    step.settings = settings
    steps.append(step)
  }
}

/// Times as people read and write them, in the universal time zone: `2030-01-31T12:00:00Z`.
enum TimeText {
  /// Milliseconds since 1970 as a date and a time; with milliseconds where there are some.
  static func text(milliseconds: UInt64) -> String {
    let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let date = date(day: Int64(days))
    let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    let parts = fraction == 0 ? "" : ".\(padded(fraction, 3))"
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(time)\(parts)Z"
  }

  /// The milliseconds since 1970 of a date and a time; nil for anything else, and for times before.
  static func milliseconds(_ text: String) -> UInt64? {
    guard
      let match = text.wholeMatch(
        of: #/(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?Z)?/#),
      let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3)
    else { return nil }
    let parts = [match.4, match.5, match.6, match.7].map { $0.flatMap { UInt64($0) } ?? 0 }
    let number = Self.day(year: year, month: month, day: day)
    guard number >= 0, date(day: number) == (year, month, day), parts[0] < 24, parts[1] < 60, parts[2] < 60
    else { return nil }
    return ((UInt64(number) * 86_400 + parts[0] * 3_600 + parts[1] * 60 + parts[2]) * 1_000) + parts[3]
  }

  private static func padded(_ number: some BinaryInteger, _ count: Int) -> String {
    String(number).padded(to: count, with: "0")
  }

  // Years begin in March here, so that a leap day is the last of its year; an era has 400 years.

  private static func date(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
  }

  private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// A name in camel case as one in snake case: `MyURLArchive` becomes `my_url_archive`.
func snakeCase(_ name: String) -> String {
  let letters = Array(name)
  var result = ""
  for (place, letter) in letters.enumerated() {
    if letter.isUppercase, place > 0, letters[place - 1] != "_" {
      let followsSmall = !letters[place - 1].isUppercase
      let leadsSmall = place + 1 < letters.count && letters[place + 1].isLowercase
      if letters[place - 1].isLetter || letters[place - 1].isNumber, followsSmall || leadsSmall {
        result.append("_")
      }
    }
    result.append(letter.lowercased())
  }
  return result
}

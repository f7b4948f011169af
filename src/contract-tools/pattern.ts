/**
 * A `pattern` of a schema as a regular expression. JSON Schema asks for ECMA-262 with Unicode. Many contracts have escapes
 * such as `\\_`, which only expressions without Unicode allow, or the syntax of another language.
 *
 * @returns null: no regular expression of this language
 */
export function patternOf(text: string): RegExp | null {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(text, flags);
    } catch {
      // Tried without the flag.
    }
  }
  return null;
}

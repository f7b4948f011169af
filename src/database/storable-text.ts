/** Characters that no database can store in a text: U+0000, and lone surrogates. */
const unstorable = /[\0\p{Surrogate}]/gu;

/** Replaces characters that no database can store with U+FFFD. */
export function storableText(text: string): string {
  return text.replace(unstorable, '\ufffd');
}

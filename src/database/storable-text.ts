/** What no database can hold in a text: U+0000, and halves of surrogate pairs. */
const unstorable = /[\0\p{Surrogate}]/gu;

/** A text that every database can hold; what it cannot becomes U+FFFD. */
export function storableText(text: string): string {
  return text.replace(unstorable, '\ufffd');
}

/** Words that the server refuses as passwords, whatever year and signs are around them. The server knows many more. */
export const usualWords: readonly string[] = (
  'password welcome company plumbline spring summer autumn fall winter january february march april may june july ' +
  'august september october november december monday tuesday wednesday thursday friday saturday sunday'
).split(' ');

/**
 * The rules that a new password breaks and that can be checked without a dictionary. The form says so at once, without a
 * request that counts under a limit.
 *
 * @param known the address and the names of the owner: a password that is only one of them, with digits and signs, is
 * refused
 * @returns a sentence for each broken rule
 */
export function passwordFaults(entered: string, known: readonly string[]): string[] {
  const faults: string[] = [];
  const password = entered.normalize('NFKC'); // as the server does
  if (Array.from(password).length < 12) faults.push('Use at least 12 characters.');
  if (new TextEncoder().encode(password).length > 72) faults.push('Use at most 72 bytes in UTF-8.');
  if (!/\p{L}/u.test(password)) faults.push('Use at least one letter.');
  if (!/\p{Nd}/u.test(password)) faults.push('Use at least one digit.');
  if (faults.length > 0) return faults;
  const words = new Set([...usualWords, ...known.flatMap((text) => lettersOf(text).split(' '))]);
  const isUsual = words.has(lettersOf(password).trim());
  return isUsual
    ? ['This password is easy to guess: it is a usual word or a name with digits and signs around it.']
    : [];
}

/** The words of a text in lower case, separated by blanks. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}]+/gu, ' ');
}

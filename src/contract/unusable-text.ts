/** Why a text is rejected, as part of a violation. */
export interface UnusableText {
  readonly rule: 'characters';
  readonly message: string;
}

/** The type `text` of PostgreSQL cannot hold this character. */
const nul: UnusableText = { rule: 'characters', message: 'must not contain the character U+0000' };
/** UTF-8 has no lone surrogates: each becomes U+FFFD, so that different passwords would have the same hash. */
const illFormed: UnusableText = { rule: 'characters', message: 'must be well-formed Unicode, without lone surrogates' };

/** @returns why the text is rejected; null: it can be stored */
export function unusableText(text: string): UnusableText | null {
  if (text.includes('\0')) return nul;
  return text.isWellFormed() ? null : illFormed;
}

/** The same for all strings in a JSON value, including property names. */
export function unusableTextIn(value: unknown): UnusableText | null {
  const pending: unknown[] = [value]; // an explicit stack: nesting may exceed the call stack
  while (pending.length > 0) {
    const current = pending.pop();
    if (typeof current === 'string') {
      const unusable = unusableText(current);
      if (unusable !== null) return unusable;
    }
    if (typeof current !== 'object' || current === null) continue;
    for (const [key, child] of Object.entries(current)) pending.push(key, child);
  }
  return null;
}

/** Whether decoding the percent-encoded text loses data: bytes that are not UTF-8 become U+FFFD. */
export function isLossyWhenDecoded(encoded: string, decoded: string): boolean {
  if (!decoded.includes('\ufffd')) return false;
  try {
    decodeURIComponent(encoded);
    return false;
  } catch {
    return true;
  }
}

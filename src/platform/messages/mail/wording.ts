/** The text of a mail. */
export interface Wording {
  readonly subject: string;
  readonly lines: readonly string[];
  /** The text of the link. */
  readonly action: string;
  /** A second link, for recipients who did not cause the mail. */
  readonly alternative?: { readonly line: string; readonly link: string; readonly action: string };
}

/** `2026-03-02 09:15 UTC` */
export function inUtc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/**
 * A line break in a name must not start a new line of the mail, and a bidirectional control character must not reorder
 * it. New names are validated; older ones may contain such characters.
 */
export function singleLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}

/**
 * A name between quotation marks. Mail programs make links of addresses and host names, so a space follows each of
 * their signs: nobody can place a link in a mail of this server by a name.
 */
export function quotedName(name: string): string {
  return `"${singleLine(name)
    .replaceAll('"', "'")
    .replaceAll(/([.:/\\@]+)(?=\S)/g, '$1 ')}"`;
}

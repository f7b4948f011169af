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
 * A name that somebody chose, as text of a mail. A line break must not start a new line of the mail, and a bidirectional
 * control character must not reorder it: new names are validated, older ones may contain such characters. Mail programs
 * turn addresses and host names into links, and decode encoded words (RFC 2047) in subjects, so those are taken apart.
 */
export function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll(colonOfAddress, ' ')
    .replaceAll('@', ' at ')
    .replaceAll(dotInHost, ' ')
    .replaceAll(/=(?=\?)/g, '= ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** The colon behind the scheme of an address (RFC 3986), with or without slashes. */
const colonOfAddress = /:\/\/|(?<=[a-z][a-z\d+.-]*):(?=\S)/gi;

/** A dot between letters or digits, and what domain names may have instead (UTS #46). */
const dotInHost = /(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu;

/** A name between quotation marks, which it has none of itself. */
export function quotedName(name: string): string {
  return `"${plainName(name).replaceAll('"', "'")}"`;
}

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

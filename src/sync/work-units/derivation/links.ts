/** What a commit's message says about the request that it belongs to. */

/**
 * How a commit is linked to a request: the request lists it, or a change of that is under way. The other three are read from messages, in the words of one host each, and hold
 * only where the request comes from a host that uses those words: `#12` is an issue on host_b.
 */
export type LinkKind = 'listed' | 'changing' | 'squash' | 'pull' | 'see';

export interface Mention {
  readonly number: number;
  readonly kind: LinkKind;
}

/** The request that a message names, if it does. */
export function mentionOf(message: string): Mention | undefined {
  const end = message.indexOf('\n');
  const title = (end < 0 ? message : message.slice(0, end)).trimEnd();
  const pull = /^Merge pull request #(\d{1,9}) from /.exec(title);
  if (pull?.[1] !== undefined) return { number: Number(pull[1]), kind: 'pull' };
  const squash = /\(#(\d{1,9})\)$/.exec(title);
  if (squash?.[1] !== undefined) return { number: Number(squash[1]), kind: 'squash' };
  const see = end < 0 ? null : /^See merge request (?:\S*)!(\d{1,9})\s*$/m.exec(message.slice(end));
  return see?.[1] === undefined ? undefined : { number: Number(see[1]), kind: 'see' };
}

/** Whether a link of this kind holds for a request from this source. */
export function holds(kind: LinkKind, requestSource: string): boolean {
  switch (kind) {
    case 'listed':
      return true;
    case 'changing':
      return false;
    case 'see':
      return requestSource !== 'host_a';
    case 'pull':
      return requestSource !== 'host_b';
    case 'squash':
      // A clone knows merged requests by their merge commits alone, and then `(#12)` is more often an issue.
      return requestSource !== 'host_b' && requestSource !== 'local';
  }
}

/** The links between commits and requests, and the commits that belong to no request. */
import { marksOf } from '../../providers/registry.js';
import { textOf } from '../row-values.js';
import { isMerge } from './commits.js';
import type { ChangedCommit } from './database/records.js';

/**
 * How a commit is linked to a request. `listed`: the request lists it. `changing`: a change of that link has begun. The
 * others come from messages in the format of one host, and count only for requests from a host with that format: `#12`
 * is an issue on host_b.
 */
export type LinkKind = 'listed' | 'changing' | 'squash' | 'pull' | 'see';

export interface Mention {
  readonly number: number;
  readonly kind: LinkKind;
}

/** The request that a message names, or undefined. */
export function mentionOf(message: string): Mention | undefined {
  const end = message.indexOf('\n');
  const title = (end < 0 ? message : message.slice(0, end)).trimEnd();
  // GitHub writes the number, and Gitea the title before it.
  const pull = /^Merge pull request (?:'.*' \()?#(\d{1,9})\)? from /.exec(title);
  if (pull?.[1] !== undefined) return { number: Number(pull[1]), kind: 'pull' };
  const squash = /\(#(\d{1,9})\)$/.exec(title);
  if (squash?.[1] !== undefined) return { number: Number(squash[1]), kind: 'squash' };
  const see = end < 0 ? null : /^See merge request (?:\S*)!(\d{1,9})\s*$/m.exec(message.slice(end));
  return see?.[1] === undefined ? undefined : { number: Number(see[1]), kind: 'see' };
}

/** Whether a link of this kind counts for a request from this source. */
export function countsFor(kind: LinkKind, requestSource: string): boolean {
  if (kind === 'listed' || kind === 'changing') return kind === 'listed';
  return marksOf(requestSource).mentions.includes(kind);
}

export interface StoredLink {
  readonly hash: string;
  readonly number: number;
  readonly kind: LinkKind;
}

/** The commits that a request lists. */
export interface RequestClaims {
  readonly number: number;
  readonly hashes: ReadonlySet<string>;
}

export interface LinkChange {
  readonly added: readonly StoredLink[];
  readonly removed: readonly StoredLink[];
}

/** The links to add and remove, so that the stored links equal the lists of the requests. */
export function differences(claims: readonly RequestClaims[], stored: readonly StoredLink[]): LinkChange {
  const before = new Map<number, Set<string>>(claims.map(({ number }) => [number, new Set()]));
  for (const { number, hash, kind } of stored) if (kind === 'listed') before.get(number)?.add(hash);
  const added: StoredLink[] = [];
  const removed: StoredLink[] = [];
  for (const { number, hashes } of claims) {
    const known = before.get(number) ?? new Set();
    for (const hash of hashes) if (!known.has(hash)) added.push({ hash, number, kind: 'listed' });
    for (const hash of known) if (!hashes.has(hash)) removed.push({ hash, number, kind: 'listed' });
  }
  return { added, removed };
}

/** A commit with its hash and the request that its message names. */
export interface NamedCommit {
  readonly commit: ChangedCommit;
  readonly hash: string;
  readonly mention: Mention | undefined;
}

export function namedCommits(commits: readonly ChangedCommit[]): readonly NamedCommit[] {
  return commits.map((commit) => ({
    commit,
    hash: textOf(commit.row, 'hash'),
    mention: mentionOf(textOf(commit.row, 'message')),
  }));
}

/** The links that messages name and that are not stored yet. */
export function unstoredMentions(commits: readonly NamedCommit[], stored: LinksByHash): readonly StoredLink[] {
  return commits.flatMap(({ hash, mention }) => {
    if (mention === undefined) return [];
    const isStored = stored.get(hash)?.some(({ number, kind }) => number === mention.number && kind === mention.kind);
    return isStored === true ? [] : [{ hash, ...mention }];
  });
}

export interface Divided {
  /** Commits that become units: neither merges nor in a request. */
  readonly alone: readonly ChangedCommit[];
  /** Hashes of commits that belong to a request. */
  readonly linked: readonly string[];
  /** Hashes of merges that belong to no request. */
  readonly merges: readonly string[];
  /** The requests of the linked commits. */
  readonly requests: readonly number[];
}

/**
 * Divides commits by whether they belong to a request.
 *
 * @param sources of the requests that messages name, by number; absent for requests that are not stored
 */
export function divide(
  commits: readonly NamedCommit[],
  stored: LinksByHash,
  sources: ReadonlyMap<number, string>,
): Divided {
  const alone: ChangedCommit[] = [];
  const linked: string[] = [];
  const merges: string[] = [];
  const requests: number[] = [];
  for (const { commit, hash, mention } of commits) {
    const numbers = (stored.get(hash) ?? []).filter(({ kind }) => kind === 'listed').map(({ number }) => number);
    const source = mention === undefined ? undefined : sources.get(mention.number);
    if (mention !== undefined && source !== undefined && countsFor(mention.kind, source)) numbers.push(mention.number);
    if (numbers.length > 0) linked.push(hash);
    else if (isMerge(commit.row)) merges.push(hash);
    else alone.push(commit);
    requests.push(...numbers);
  }
  return { alone, linked, merges, requests };
}

type LinksByHash = ReadonlyMap<string, readonly StoredLink[]>;

export function linksByHash(links: readonly StoredLink[]): LinksByHash {
  const found = new Map<string, StoredLink[]>();
  for (const link of links) {
    const others = found.get(link.hash);
    if (others === undefined) found.set(link.hash, [link]);
    else others.push(link);
  }
  return found;
}

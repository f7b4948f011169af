/**
 * What closes issues: closing references in the texts of requests and commits (`Fixes #12`), and the requests that a
 * host names. References to issues of other repositories are ignored. Where issues name epics, it is also stored which
 * issues the texts refer to without closing them.
 */
import type { AnyRow } from '../../records.js';
import { marksOf } from '../../providers/registry.js';
import { identityOfRemote } from '../../identity.js';
import { numberOf, textOf } from '../row-values.js';
import type { Closing } from './database/records.js';
import { mentionOf } from './links.js';
import type { RepositoryContext } from './plan.js';

/** The repository that references are compared with. */
export type NamedRepository = Pick<RepositoryContext, 'repo' | 'identity'> &
  Partial<Pick<RepositoryContext, 'hasEpics'>>;

/**
 * `listed`: the host names the request. The others come from texts; those that end in `_b` are references in the grammar
 * of GitLab only, and count for the issues of hosts with that grammar only. A text of the kinds that end in `_mention`
 * closes nothing: it refers to the issue.
 */
export type ClosingKind =
  'listed' | 'request' | 'request_b' | 'request_mention' | 'commit' | 'commit_b' | 'commit_mention';

export interface StoredClosing extends Closing {
  readonly kind: ClosingKind;
}

/** The kinds that are derived from a request's text. */
export const REQUEST_KINDS: readonly ClosingKind[] = ['request', 'request_b', 'request_mention'];

/** The kinds that are derived from a commit's message. */
export const COMMIT_KINDS: readonly ClosingKind[] = ['commit', 'commit_b', 'commit_mention'];

/** All kinds. */
export const CLOSING_KINDS: readonly ClosingKind[] = ['listed', ...REQUEST_KINDS, ...COMMIT_KINDS];

/** The closings that a request's text names. @param row with number, title and body */
export function closingsOfRequest(row: AnyRow, repository: NamedRepository): readonly StoredClosing[] {
  const [closer, body] = [String(numberOf(row, 'number')), textOf(row, 'body')];
  const closings = named(body, repository, closer, 'request');
  if (repository.hasEpics !== true) return closings;
  return [
    ...closings,
    ...mentions(`${textOf(row, 'title')}\n${body}`, repository, closings, closer, 'request_mention'),
  ];
}

/** The closings that a commit's message names. @param row with hash and message */
export function closingsOfCommit(row: AnyRow, repository: NamedRepository): readonly StoredClosing[] {
  const [closer, message] = [textOf(row, 'hash'), textOf(row, 'message')];
  const closings = named(message, repository, closer, 'commit');
  if (repository.hasEpics !== true) return closings;
  // The title of a squash ends in the number of its request.
  const request = mentionOf(message)?.number;
  const others = mentions(message, repository, closings, closer, 'commit_mention');
  return [...closings, ...others.filter(({ issue }) => issue !== request)];
}

/** The closings that the host names. @param row with number and closing_requests */
export function closingsOfIssue(row: AnyRow): readonly StoredClosing[] {
  const requests = row['closing_requests'];
  if (!Array.isArray(requests)) return [];
  const issue = numberOf(row, 'number');
  return requests
    .filter((request) => typeof request === 'number')
    .map((request) => ({ issue, closer: String(request), kind: 'listed' }));
}

/** Whether a text refers to the issue without closing it. */
export function isMention(kind: ClosingKind): boolean {
  return kind.endsWith('_mention');
}

/** Whether a closing counts for an issue from this source. */
export function countsForIssue(kind: ClosingKind, issueSource: string): boolean {
  return marksOf(issueSource).closesLists === true || !kind.endsWith('_b');
}

/** The closings to add and to remove, so that the stored ones equal the wanted ones. */
export function closingDifferences(
  wanted: readonly StoredClosing[],
  stored: readonly StoredClosing[],
): { readonly added: readonly StoredClosing[]; readonly removed: readonly StoredClosing[] } {
  const key = ({ issue, closer, kind }: StoredClosing): string => `${issue} ${closer} ${kind}`;
  const [before, after] = [new Set(stored.map(key)), new Set(wanted.map(key))];
  return {
    added: wanted.filter((each) => !before.has(key(each))),
    removed: stored.filter((each) => !after.has(key(each))),
  };
}

function named(
  text: string,
  repository: NamedRepository,
  closer: string,
  kind: 'request' | 'commit',
): readonly StoredClosing[] {
  if (!MAY_NAME.test(text)) return [];
  const common = issuesIn(text, REFERENCE_A, repository);
  const others = issuesIn(text, REFERENCES_B, repository).filter((issue) => !common.includes(issue));
  return [
    ...common.map((issue) => ({ issue, closer, kind })),
    ...others.map((issue): StoredClosing => ({ issue, closer, kind: `${kind}_b` })),
  ];
}

/** Texts that refer to more issues are lists, of releases for example. */
const MOST_MENTIONS = 20;

/** The issues that a text refers to, without those that it closes. */
function mentions(
  text: string,
  repository: NamedRepository,
  closings: readonly StoredClosing[],
  closer: string,
  kind: 'request_mention' | 'commit_mention',
): readonly StoredClosing[] {
  const closed = new Set(closings.map(({ issue }) => issue));
  const found = new Set<number>();
  for (const { 0: reference, index } of text.matchAll(/(?:#|\/issues\/)\d{1,9}\b/g)) {
    const before = /[\w.:/-]*$/.exec(text.slice(Math.max(0, index - LONGEST_ADDRESS), index))?.[0] ?? '';
    for (const issue of numbersIn(before + reference, repository)) if (!closed.has(issue)) found.add(issue);
    if (found.size >= MOST_MENTIONS) break;
  }
  return [...found].map((issue) => ({ issue, closer, kind }));
}

/** Characters of the address of an issue. */
const LONGEST_ADDRESS = 200;

/** Most texts name no issue; this is faster than the other expressions. */
const MAY_NAME = /(?:#|\/issues\/)\d/;

/** `#12`, `owner/name#12` or the address of an issue. */
const ISSUE = String.raw`(?:(?:[\w.-]{1,100}(?:\/[\w.-]{1,100}){1,20})?#\d{1,9}\b|https?:\/\/[^\s#]{1,500}?\/issues\/\d{1,9}\b)`;

/** GitHub: one issue after each keyword. */
const REFERENCE_A = new RegExp(String.raw`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+${ISSUE}`, 'gi');

/** GitLab: more keywords, and lists such as `Closes #1, #2 and #3`. */
const REFERENCES_B = new RegExp(
  String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +(?:issues? +)?` +
    String.raw`${ISSUE}(?:(?: *, *(?:and +)?| +and +| +)${ISSUE}){0,50}`,
  'gi',
);

function issuesIn(text: string, references: RegExp, repository: NamedRepository): readonly number[] {
  const found = new Set<number>();
  for (const [reference] of text.matchAll(references))
    for (const number of numbersIn(reference, repository)) found.add(number);
  return [...found];
}

/** The issues of this repository that a reference names. */
function* numbersIn(reference: string, repository: NamedRepository): Generator<number> {
  for (const [, host, project = '', number] of reference.matchAll(NUMBERED))
    if (Number(number) > 0 && isIn(repository, host, project)) yield Number(number);
}

/** An address counts only on the host of the repository. */
function isIn({ repo, identity }: NamedRepository, host: string | undefined, project: string): boolean {
  if (host === undefined) return project === '' || project.toLowerCase() === repo.toLowerCase();
  return identity !== undefined && identityOfRemote(`https://${host}/${project}`)?.identity === identity;
}

/** Host, project and number of each reference. The host is that of an address; a missing project is the same one. */
const NUMBERED = /(?:https?:\/\/([^\s/]+)\/)?([\w.-]+(?:\/[\w.-]+)*?)?(?:\/-)?(?:#|\/issues\/)(\d+)/gi;

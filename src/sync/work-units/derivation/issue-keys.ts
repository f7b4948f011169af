/**
 * The issues whose keys requests and commits name: `SHOP-12`. They are stored below the repository of the request or
 * commit, whether a project with that key is known or not, so that the order of syncs does not matter. Who asks for the
 * issues of a project finds them by its key: `UTF-8` counts only where a project has the key `UTF`. A name closes nothing.
 */
import type { AnyRow } from '../../records.js';
import { numberOf, textOf } from '../row-values.js';
import { CLOSINGS, inParts, type Closing, type DerivationRecords } from './database/records.js';
import type { Run } from './run.js';

/** What names a key. The kind of a stored row is that, and the key of the project. */
type Naming = 'request' | 'commit';

/** The kind of the stored rows that name issues of a project. */
export function keyKind(naming: Naming, project: string): string {
  return `${PREFIX}${naming}:${project}`;
}

const PREFIX = 'key:';

/** Whether a stored row is one of a key, and closes nothing. */
export function isKeyKind(kind: string): boolean {
  return kind.startsWith(PREFIX);
}

/** The keys that a request names. @param row with number, title, body and head_branch */
export function keysOfRequest(row: AnyRow): readonly Closing[] {
  const keys = [
    ...keysIn(`${textOf(row, 'title')}\n${textOf(row, 'body')}`),
    ...keysInBranch(textOf(row, 'head_branch')),
  ];
  return rowsOf(keys, String(numberOf(row, 'number')), 'request');
}

/** The keys that a commit names. @param row with hash and message */
export function keysOfCommit(row: AnyRow): readonly Closing[] {
  return rowsOf(keysIn(textOf(row, 'message')), textOf(row, 'hash'), 'commit');
}

/** Stores the keys that some requests name; those that they no longer name are removed. */
export async function replaceKeys({ records, context, isFirst }: Run, requests: readonly AnyRow[]): Promise<void> {
  const identity = ({ issue, closer, kind }: Closing): string => `${issue} ${closer} ${kind}`;
  const wanted = requests.flatMap(keysOfRequest);
  const closers = requests.map((row) => String(numberOf(row, 'number')));
  const stored = isFirst ? [] : await storedKeys(records, context.repoId, closers);
  const [before, after] = [new Set(stored.map(identity)), new Set(wanted.map(identity))];
  const added = wanted.filter((naming) => !before.has(identity(naming)));
  const removed = stored.filter((naming) => !after.has(identity(naming)));
  if (added.length + removed.length > 0) await records.writeClosings(context.repoId, added, removed);
}

/** The stored rows of the keys that some requests and commits name. @param closers numbers and hashes */
export async function storedKeys(
  records: DerivationRecords,
  repoId: string,
  closers: readonly string[],
): Promise<readonly Closing[]> {
  const found: Closing[] = [];
  const query = { table: CLOSINGS, repoId, columns: ['issue', 'closer', 'kind'] };
  for (const where of inParts('closer', closers))
    for await (const rows of records.rows({ ...query, where }))
      for (const row of rows) {
        const kind = textOf(row, 'kind');
        if (isKeyKind(kind)) found.push({ issue: numberOf(row, 'issue'), closer: textOf(row, 'closer'), kind });
      }
  return found;
}

interface IssueKey {
  readonly project: string;
  readonly number: number;
}

/** Texts that name more are lists of changes. */
const MOST_KEYS = 20;

function rowsOf(keys: readonly IssueKey[], closer: string, naming: Naming): readonly Closing[] {
  const rows = new Map<string, Closing>();
  for (const { project, number } of keys)
    if (rows.size < MOST_KEYS)
      rows.set(`${project}-${number}`, { issue: number, closer, kind: keyKind(naming, project) });
  return [...rows.values()];
}

/** Keys are upper case in texts, as Jira itself requires it. `CVE-2024-1` and `v1.X-2` have none. */
const KEY = /(?<![\w./-])([A-Z][A-Z0-9_]{1,31})-([1-9]\d{0,8})(?![\w-]|\.\d)/g;

function keysIn(text: string): readonly IssueKey[] {
  return [...text.matchAll(KEY)].map(([, project = '', number]) => ({ project, number: Number(number) }));
}

/** Branches are often in lower case: `feature/shop-12-cart`. A key is at the beginning of a part. */
const BRANCH_KEY = /(?:^|[/_])([a-z][a-z0-9]{1,31})-([1-9]\d{0,8})(?=$|[-_/])/gi;

function keysInBranch(branch: string): readonly IssueKey[] {
  return [...branch.matchAll(BRANCH_KEY)].map(([, project = '', number]) => ({
    project: project.toUpperCase(),
    number: Number(number),
  }));
}

/** What the derivation keeps of the records of one commit: a commit with its statistics, in little memory. */
import type { AnyRow } from '../records.js';
import type { ChangedCommit } from './derivation/database/records.js';
import type { ProviderName } from '../targets.js';
import type { Classifier } from './classify/classifier.js';
import { numberOf, textOf, textOrNull } from './row-values.js';
import type { TeamAssigner } from './teams/assign.js';

/** The data of a commit that work units depend on. */
export interface CommitFacts {
  readonly hash: string;
  readonly message: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  /** Epoch milliseconds. */
  readonly authorWhen: number;
  readonly committerWhen: number;
  readonly isMerge: boolean;
  readonly changes: Changes;
}

/** The changes of a commit. What a merge brought in is counted with the commits that it merges. */
export interface Changes {
  /** Lines; null where the source did not tell. */
  readonly churn: number | null;
  /** Files by the rule that names them, and by the team that owns them. */
  readonly files: ReadonlyMap<number, number>;
  readonly owners: ReadonlyMap<string, number>;
}

export const COMMIT_COLUMNS = [
  'hash',
  'message',
  'author_name',
  'author_email',
  'author_when',
  'committer_when',
  'parents',
  'source',
] as const;

const NO_CHANGES: Changes = { churn: 0, files: new Map(), owners: new Map() };

/** A row with {@link COMMIT_COLUMNS} and its changes. */
export function commitFacts(row: AnyRow, changes: Changes): CommitFacts {
  const merges = isMerge(row);
  return {
    hash: textOf(row, 'hash'),
    message: textOf(row, 'message'),
    authorName: textOrNull(row, 'author_name'),
    authorEmail: textOrNull(row, 'author_email'),
    authorWhen: numberOf(row, 'author_when'),
    committerWhen: numberOf(row, 'committer_when'),
    isMerge: merges,
    changes: merges ? NO_CHANGES : changes,
  };
}

/** Whether a row of a commit is a merge. */
export function isMerge(row: AnyRow): boolean {
  return numberOf(row, 'parents') > 1;
}

/** What the database added up, with the files named by rule and by team. */
export function changesOf(
  { row, churn, aggregate, paths }: ChangedCommit,
  classifier: Pick<Classifier, 'ruleOfPath'>,
  teams: Pick<TeamAssigner, 'ownerOfPath'>,
): Changes {
  const files = new Map<number, number>();
  const owners = new Map<string, number>();
  for (const path of paths) {
    count(files, classifier.ruleOfPath(path));
    count(owners, teams.ownerOfPath(path));
  }
  // The sum of a host counts only where it named no files; where it gave neither, the commit is beyond the number of
  // those of which statistics are read.
  const isKnown = paths.length > 0 || aggregate !== null || IN_FULL.has(textOf(row, 'source'));
  return { churn: !isKnown ? null : paths.length > 0 ? churn : (aggregate ?? 0), files, owners };
}

/** Sources that give the statistics of every commit: one without any changes nothing. */
const IN_FULL: ReadonlySet<string> = new Set(['local', 'synthetic'] satisfies ProviderName[]);

/** Adds up tallies of several commits. */
export function addTallies<Key>(tallies: Iterable<ReadonlyMap<Key, number>>): Map<Key, number> {
  const sum = new Map<Key, number>();
  for (const tally of tallies) for (const [key, value] of tally) sum.set(key, (sum.get(key) ?? 0) + value);
  return sum;
}

function count<Key>(tally: Map<Key, number>, key: Key): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** What the derivation keeps of the records of one commit: a commit with its statistics, in little memory. */
import type { AnyRow } from '../records.js';
import type { ChangedCommit } from '../sinks/derivation.js';
import type { Classifier } from './classify/classifier.js';
import { numberOf, textOf, textOrNull } from './row-values.js';
import type { TeamAssigner } from './teams/assign.js';

/** A commit, as far as work units depend on it. */
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
  readonly churn: number;
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
] as const;

const NO_CHANGES: Changes = { churn: 0, files: new Map(), owners: new Map() };

/** A row with {@link COMMIT_COLUMNS} and its changes. */
export function commitFacts(row: AnyRow, changes: Changes): CommitFacts {
  const isMerge = numberOf(row, 'parents') > 1;
  return {
    hash: textOf(row, 'hash'),
    message: textOf(row, 'message'),
    authorName: textOrNull(row, 'author_name'),
    authorEmail: textOrNull(row, 'author_email'),
    authorWhen: numberOf(row, 'author_when'),
    committerWhen: numberOf(row, 'committer_when'),
    isMerge,
    changes: isMerge ? NO_CHANGES : changes,
  };
}

/** What the database added up, with the files named by rule and by team. */
export function changesOf(
  { churn, aggregate, paths }: ChangedCommit,
  classifier: Pick<Classifier, 'ruleOfPath'>,
  teams: Pick<TeamAssigner, 'ownerOfPath'>,
): Changes {
  const files = new Map<number, number>();
  const owners = new Map<string, number>();
  for (const path of paths) {
    count(files, classifier.ruleOfPath(path));
    count(owners, teams.ownerOfPath(path));
  }
  // The sum of a host counts only where it named no files.
  return { churn: paths.length > 0 ? churn : aggregate, files, owners };
}

/** Adds up tallies of several commits. */
export function addTallies<Key>(tallies: Iterable<ReadonlyMap<Key, number>>): Map<Key, number> {
  const sum = new Map<Key, number>();
  for (const tally of tallies) for (const [key, value] of tally) sum.set(key, (sum.get(key) ?? 0) + value);
  return sum;
}

function count<Key>(tally: Map<Key, number>, key: Key): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

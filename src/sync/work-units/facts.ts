/** What the derivation keeps of the records of one commit: a commit with its statistics, in little memory. */
import type { AnyRow } from '../records.js';
import { AGGREGATE_PATH } from '../records.js';
import type { Classifier } from './classify/classifier.js';
import { numberOf, numberOrNull, textOf, textOrNull } from './row-values.js';
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

export const STATS_COLUMNS = ['commit_hash', 'file_path', 'additions', 'deletions'] as const;

const NO_CHANGES: Changes = { churn: 0, files: new Map(), owners: new Map() };

/** A row with {@link COMMIT_COLUMNS} and what {@link ChangeSums} says about it. */
export function commitFacts(row: AnyRow, changes: Changes | undefined): CommitFacts {
  const isMerge = numberOf(row, 'parents') > 1;
  return {
    hash: textOf(row, 'hash'),
    message: textOf(row, 'message'),
    authorName: textOrNull(row, 'author_name'),
    authorEmail: textOrNull(row, 'author_email'),
    authorWhen: numberOf(row, 'author_when'),
    committerWhen: numberOf(row, 'committer_when'),
    isMerge,
    changes: isMerge ? NO_CHANGES : (changes ?? NO_CHANGES),
  };
}

interface Sums {
  churn: number;
  /** What the host gave as the sum of the whole commit. */
  aggregate: number;
  readonly files: Map<number, number>;
  readonly owners: Map<string, number>;
}

/** Adds up statistics rows as they are read: of a commit with a million files only the sums are kept. */
export class ChangeSums {
  readonly #classifier: Classifier;
  readonly #teams: TeamAssigner;
  readonly #sums = new Map<string, Sums>();

  constructor(classifier: Classifier, teams: TeamAssigner) {
    this.#classifier = classifier;
    this.#teams = teams;
  }

  /** Takes a row with {@link STATS_COLUMNS}. */
  add(row: AnyRow): void {
    const hash = textOf(row, 'commit_hash');
    const path = textOf(row, 'file_path');
    const churn = (numberOrNull(row, 'additions') ?? 0) + (numberOrNull(row, 'deletions') ?? 0);
    const sums: Sums = this.#sums.get(hash) ?? { churn: 0, aggregate: 0, files: new Map(), owners: new Map() };
    this.#sums.set(hash, sums);
    if (path === AGGREGATE_PATH) {
      sums.aggregate = churn;
      return;
    }
    sums.churn += churn;
    count(sums.files, this.#classifier.ruleOfPath(path));
    count(sums.owners, this.#teams.ownerOfPath(path));
  }

  /** The changes of a commit; undefined where it has no statistics. The sum of a host counts only without files. */
  of(hash: string): Changes | undefined {
    const sums = this.#sums.get(hash);
    if (sums === undefined) return undefined;
    return { churn: sums.files.size > 0 ? sums.churn : sums.aggregate, files: sums.files, owners: sums.owners };
  }
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

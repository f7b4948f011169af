/**
 * What a provider is, for commands, contracts, pages and the derivation of work units. The code that reads its records
 * is loaded when it opens a selection.
 */
import type { Selection } from '../sync-request.js';
import type { Target } from '../targets.js';
import type { CodeHost } from './code-host.js';

/** @typeParam Option the options that it reads, besides those for many repositories */
export interface ProviderDescription<Name extends string = string, Option extends string = string> {
  /** The name of the provider in contracts and commands, and the `source` of its records. */
  readonly name: Name;
  /** Another name that commands understand. */
  readonly alias?: string;
  /** What people call it. */
  readonly title: string;
  readonly targets: readonly Target[];
  /** The options of `plumbline sync` that the provider reads, by their names in the code. */
  readonly options: Readonly<Record<Option, OptionHelp>>;
  /** A variable that it reads, with its default and what it is for. */
  readonly variable: readonly [name: string, usual: string, text: string] | null;
  /** Which tokens it needs, as a sentence; null: it has none. */
  readonly tokens: string | null;
  /** Names of repositories, as a user can enter them in a sync configuration. */
  readonly example: string;
  /** Present if its repositories are on a code host, which an integration connects. */
  readonly host?: CodeHost<Option>;
  /** Whether its data are generated: always all of them, and with a history that is never rewritten. */
  readonly isGenerated?: true;
  /** What earlier releases did not read of a target, so that everything is read again. */
  readonly readSince?: Readonly<Partial<Record<Target, string>>>;
  readonly marks: DerivationMarks;

  /** Reads the options that select repositories; every problem is passed to `report`. */
  select(options: SelectionOptions<Option>, environment: SelectionEnvironment, report: Report): Selection | undefined;
  /**
   * The calls of `plumbline sync` that read an entry of a sync configuration.
   *
   * @throws SyncError (`not_found`) for an entry that it cannot have
   */
  parts(selected: string, server: ServerSources): readonly Part[] | Promise<readonly Part[]>;
  /** The names that a sync configuration can have. A code host is asked instead. */
  names?(server: ServerSources): readonly string[] | Promise<readonly string[]>;
}

/** The flags and the text of an option in the help. */
export type OptionHelp = readonly [flags: string, text: string];

type SelectionOptions<Option extends string> = Readonly<
  Partial<Record<Option | 'search' | 'group' | 'owner' | 'repo', string>>
>;

/** What a selection depends on besides its options. */
export interface SelectionEnvironment {
  readonly token: string | undefined;
  /** The value of its variable. */
  readonly variable: string | undefined;
}

/** Reports a problem; `return report(...)` then replaces the missing value. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it takes the type of what is missing
export type Report = <Value>(problem: string) => Value | undefined;

/** What a server opens to an organization, besides code hosts. */
export interface ServerSources {
  /** The folder whose repositories it may read; null: none. */
  readonly localRoot: string | null;
  /** The repositories that can be generated. */
  readonly madeUp: readonly string[];
}

/** One repository, or a pattern that the code host resolves. */
export interface Part {
  readonly selected: string;
  /** Whether it may match any number of repositories. */
  readonly isPattern: boolean;
  readonly options: Readonly<Record<string, string>>;
}

/** What the records of a provider say, and how it writes links between them. */
export interface DerivationMarks {
  /** The forms in which messages of its commits name the request that merged them: see `LinkKind`. */
  readonly mentions: readonly ('pull' | 'squash' | 'see')[];
  /** Whether the grammar of its closing references is that of GitLab, which has more keywords, and lists. */
  readonly closesLists?: true;
  /** Whether it reports the reviews of all requests. The rows of others tell whether their reviews are known. */
  readonly hasAllReviews?: true;
  /** Whether a commit without statistics changed nothing, because it reports those of all commits. */
  readonly hasAllFiles?: true;
  /** Whether it can report the sum of the lines that a commit changed, and no files although it changed some. */
  readonly hasOnlySums?: true;
  /** What the addresses of its pages have between that of a repository and a number or hash; absent: it has no pages. */
  readonly pages?: Readonly<Partial<Record<'commit' | 'pull_request' | 'issue', string>>>;
  /** Whether its issues have keys, such as `SHOP-12`, by which requests and commits of other repositories name them. */
  readonly hasKeys?: true;
  /** A part of the host names by which remotes of clones are recognized. */
  readonly hostName?: string;
}

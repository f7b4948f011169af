import type { Schemas } from '../../../../generated/platform/operations.js';

/** The start of a page: a page of the host, and the number of its repositories to skip. */
export interface PageStart {
  readonly page: number;
  readonly skip: number;
}

/** The search of a caller. */
export interface RepositorySearch {
  /** Part of a name, in lower case; empty: every repository. */
  readonly text: string;
  readonly limit: number;
  readonly start: PageStart;
}

/** The found repositories, and the start of the next page; null: there are no more. */
export interface FoundRepositories {
  readonly items: Schemas['AvailableRepository'][];
  readonly next: PageStart | null;
}

import type { Schemas } from '../../../generated/platform/operations.js';

/** Where a page begins: a page of the host, and how many of its repositories to leave out. */
export interface PageStart {
  readonly page: number;
  readonly skip: number;
}

/** What a caller wants to see. */
export interface RepositorySearch {
  /** Part of a name, in lower case; empty: every repository. */
  readonly text: string;
  readonly limit: number;
  readonly start: PageStart;
}

/** Repositories, and where the next page begins; null: these are the last. */
export interface FoundRepositories {
  readonly items: Schemas['AvailableRepository'][];
  readonly next: PageStart | null;
}

/** The readers of a store: who may read an organization with SQL. */

/** What a new reader gets. */
export interface NewReader {
  /** Printable ASCII. */
  readonly password: string;
  readonly connections: number;
  readonly timeoutSeconds: number;
}

export interface ReaderRow {
  readonly role: string;
  readonly orgId: string;
  /** Null where the engine does not keep it. */
  readonly grantedAt: Date | null;
  /** Whether the role exists in this database server: after a restore into another one it does not. */
  readonly exists: boolean;
}

export interface Readers {
  /**
   * Lets a role read the views of an organization: creates it, or gives one that is a reader of this organization a new
   * password and new limits.
   *
   * @param reader undefined: the role exists, and stays as it is
   * @throws ReaderRefused
   */
  grant(orgId: string, role: string, reader: NewReader | undefined): Promise<void>;
  /**
   * Takes the right to read from a role, and drops it.
   *
   * @returns what is left of it; undefined: the role is not a reader
   */
  revoke(role: string): Promise<{ readonly isDropped: boolean } | undefined>;
  /** The readers, ordered by organization and name. */
  list(): Promise<readonly ReaderRow[]>;
  /** Creates the views, or replaces them by those of this release. */
  replaceViews(): Promise<void>;
  close(): Promise<void>;
}

/** A request that the database, or its roles, do not allow; the message says what to do. */
export class ReaderRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReaderRefused';
  }
}

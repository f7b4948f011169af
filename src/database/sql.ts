import type postgres from 'postgres';

/**
 * The JavaScript types of columns, where they differ from the driver's defaults: `int8` (sums, counts, sequences) is a
 * number if that is exact, otherwise its digits as a string. `timestamptz` is a Date, `numeric` a string, `jsonb` a value.
 */
export type Types = { bigint: number | string; texts: readonly string[] };

/** Runs statements as tagged templates: values become parameters, never text. Stores accept one of these. */
export type Sql = postgres.ISql<Types>;

/** The statements of one transaction. Using it after the transaction's end is an error. */
export interface Transaction extends Sql {
  /** Runs `work` in a savepoint: if it throws, its changes are undone and the transaction continues. */
  savepoint<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

export interface DatabaseSql extends Sql {
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws, and rethrows the error.
   *
   *     const id = await database.sql.begin(async (transaction) => {
   *       const [user] = await transaction`select id from users where id = ${userId} for update`;
   *       await transaction`insert into memberships ${transaction(membership)}`;
   *       return user.id;
   *     });
   *
   * All statements inside must use `transaction`; those of `database.sql` run on another connection. Keep slow work
   * (password hashing, mail, HTTP) outside: a transaction holds one of few connections, and the server ends one that is
   * idle for longer than the statement timeout. To keep a change although the request fails (the revocation of a token
   * family), return a value instead of throwing.
   *
   * @param mode the mode after BEGIN, for example `isolation level serializable`.
   */
  begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  begin<T>(mode: string, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * The same as `begin`, for a transaction that may wait for others of its group, such as an organization. A group has at
   * most half of the connections for transactions. Of transactions that wait for a connection, those of groups with fewer
   * come first.
   */
  beginFor<T>(group: string, work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

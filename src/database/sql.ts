import type postgres from 'postgres';

/**
 * What our columns become in JavaScript beyond the driver's defaults: `int8` (sums, counts, sequences) is a number
 * where that is exact, else the digits as a string. `timestamptz` is a Date, `numeric` a string, `jsonb` a value.
 */
export type Types = { bigint: number | string; texts: readonly string[] };

/** Runs statements as tagged templates: values become parameters, never text. Stores take one of these. */
export type Sql = postgres.ISql<Types>;

/** The statements of one transaction. It is of no use after the transaction's end, and says so. */
export interface Transaction extends Sql {
  /** Runs `work` in a savepoint: when it throws, its changes are undone and the transaction goes on. */
  savepoint<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

export interface DatabaseSql extends Sql {
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws, and the error passed on.
   *
   *     const id = await database.sql.begin(async (transaction) => {
   *       const [user] = await transaction`select id from users where id = ${userId} for update`;
   *       await transaction`insert into memberships ${transaction(membership)}`;
   *       return user.id;
   *     });
   *
   * Every statement inside goes through `transaction`; one through `database.sql` would be on another connection.
   * Keep slow work (password hashing, mail, HTTP) outside: it holds one of few connections, and the server ends a
   * transaction that idles for longer than the statement timeout. Something that must stay although the request
   * fails (the revocation of a token family) is returned as a value, not thrown.
   *
   * @param mode What follows BEGIN, for example `isolation level serializable`.
   */
  begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  begin<T>(mode: string, work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/** Transactions of SQLite, for drivers that answer at once. */

/**
 * Runs `action` in one transaction that may write. When it throws, its changes are undone and the error is passed on.
 *
 * @param run runs one statement
 */
export function inSqliteTransaction<Result>(run: (statement: string) => void, action: () => Result): Result {
  run('begin immediate');
  try {
    const result = action();
    run('commit');
    return result;
  } catch (error) {
    try {
      run('rollback');
    } catch {
      // A full disk or a failed write has ended the transaction already: the first error tells why.
    }
    throw error;
  }
}

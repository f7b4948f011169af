/** Transactions of SQLite, for synchronous drivers. */

/**
 * Runs `action` in one write transaction. If it throws, its changes are undone and the error is rethrown.
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
      // A full disk or a failed write may already have ended the transaction. The first error has the cause.
    }
    throw error;
  }
}

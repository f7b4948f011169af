/** What the users of SQLite's synchronous driver share. */

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

/** The result of a synchronous action as a promise, which interfaces of several databases require; it throws nothing. */
export function asPromise<Result>(action: () => Result): Promise<Result> {
  return new Promise((resolve) => {
    resolve(action());
  });
}

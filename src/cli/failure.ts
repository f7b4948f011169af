/**
 * Ends the process after a failure: prints one line for errors that an operator can correct, the whole error for bugs.
 */
export async function reportFailure(error: unknown): Promise<void> {
  process.exitCode = 1;
  const line = await lineFor(error);
  if (line === null) console.error('plumbline:', error);
  else console.error(`plumbline: ${line}`);
}

/** null: an operator cannot fix it. */
async function lineFor(error: unknown): Promise<string | null> {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  if ('syscall' in error && error.syscall === 'listen') {
    return `Cannot listen: ${error.message}. Set HOST and PORT to a free address of this machine.`;
  }
  // Loaded on demand: this imports the driver, and `plumbline --help` should not wait for it.
  const { isConnectionFailure, isReadOnly, readOnlyServer, shortageOf } = await import('../database/failures.js');
  const shortage = shortageOf(error);
  if (shortage !== null) return `${shortage.sentence} (${error.message})`;
  if (isConnectionFailure(error)) return `The database is unreachable (${code}). Start it, or correct DATABASE_URI.`;
  if (isReadOnly(error)) return readOnlyServer;
  // Class 28 and 3D000: wrong user, password or database.
  if (error.name === 'PostgresError' && /^(?:28|3D)/.test(code)) {
    return `The database refuses the connection: ${error.message}. Correct DATABASE_URI.`;
  }
  // System errors, and errors with messages for operators; bugs have names such as TypeError.
  return ['SettingError', 'SyncError', 'Error'].includes(error.name) ? error.message : null;
}

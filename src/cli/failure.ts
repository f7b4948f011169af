/**
 * Ends the process after a failure: one line for what an operator can mend, the whole error for what is a fault of
 * ours.
 */
export async function reportFailure(error: unknown): Promise<void> {
  process.exitCode = 1;
  const line = await lineFor(error);
  if (line === null) console.error('plumbline:', error);
  else console.error(`plumbline: ${line}`);
}

/** null: nothing that an operator could mend. */
async function lineFor(error: unknown): Promise<string | null> {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  if ('syscall' in error && error.syscall === 'listen') {
    return `Cannot listen: ${error.message}. Set HOST and PORT to an address of this machine that is free.`;
  }
  // Loaded when it is needed, because the driver comes with it and `plumbline --help` should not wait for that.
  const { isConnectionFailure, isReadOnly, readOnlyServer } = await import('../database/failures.js');
  if (isConnectionFailure(error)) return `The database cannot be reached (${code}). Start it, or correct DATABASE_URI.`;
  if (isReadOnly(error)) return readOnlyServer;
  // Class 28 and 3D000: user, password or database are not the right ones.
  if (error.name === 'PostgresError' && /^(?:28|3D)/.test(code)) {
    return `The database refuses the connection: ${error.message}. Correct DATABASE_URI.`;
  }
  // Failures of the system, and those that our own code words for operators; faults have names such as TypeError.
  return ['SettingError', 'SyncError', 'Error'].includes(error.name) ? error.message : null;
}

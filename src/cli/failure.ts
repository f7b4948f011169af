/** Ends the process after a failure: one line for what an operator can mend, the whole error for what is a fault of ours. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1;
  if (error instanceof Error && (error.name === 'SettingError' || isAddressError(error))) {
    console.error(`plumbline: ${error.message}`);
  } else console.error('plumbline:', error);
}

/** The address to listen on is taken, or not ours. */
function isAddressError(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'listen';
}

/** The exit code of Node.js for this case. */
const UNSETTLED = 13;

/**
 * Runs a command in a CommonJS module as Node.js runs an ES module: if nothing is left to wait for although the command
 * has not ended, the process exits with 13.
 */
export function runToEnd(command: () => Promise<void>): void {
  let hasEnded = false;
  process.once('beforeExit', () => {
    if (!hasEnded) process.exitCode = UNSETTLED;
  });
  void command().finally(() => {
    hasEnded = true;
  });
}

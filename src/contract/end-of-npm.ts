/** How often the parent process is checked. */
const parentCheckMs = 250;

/**
 * Calls `handler` once, when the npm that runs this process (`npm start`, `npx`) has ended.
 *
 * npm runs a command in a shell. A SIGTERM ends npm and the shell, but the shell does not pass it on: this process
 * only gets another parent. Without npm nothing is watched, because a parent may well end first, as with `nohup`.
 *
 * @returns ends the watch, which does not keep the process alive
 */
export function onEndOfNpm({ npm_lifecycle_event: startedBy }: NodeJS.ProcessEnv, handler: () => void): () => void {
  if (startedBy !== 'start' && startedBy !== 'npx') return () => undefined;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    handler();
  }, parentCheckMs).unref();
  return () => {
    clearInterval(check);
  };
}

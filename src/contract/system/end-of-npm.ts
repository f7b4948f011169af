/** The interval between checks of the parent process. */
const parentCheckMs = 250;

/** The runs of npm whose end must end the server: `npm start`, `npx`, and `npm run dev`, which starts servers. */
const serving: readonly (string | undefined)[] = ['start', 'npx', 'dev'];

/**
 * Calls `handler` once, when the npm that runs this process has ended.
 *
 * npm runs a command in a shell. A SIGTERM ends npm and the shell, but the shell does not forward it: this process
 * only gets another parent. Without npm the parent is not watched, because it may legitimately end first, as with
 * `nohup`.
 *
 * @returns stops the watch, which does not keep the process alive
 */
export function onEndOfNpm({ npm_lifecycle_event: startedBy }: NodeJS.ProcessEnv, handler: () => void): () => void {
  if (!serving.includes(startedBy)) return () => undefined;
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

import { startPlatform } from '../platform/platform.js';
import { readSettings } from '../platform/settings.js';
import { createLog } from './log.js';

/** Runs the server until SIGTERM or SIGINT, or the end of the npm that has started it; a second signal ends it at once. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog(settings.logLevel, 1);
  const stopSignal = waitForStopSignal(environment); // a signal that comes during the start must not leave things half started
  const platform = await startPlatform(settings, { log });
  announce(platform.url, settings.console);

  log.info({ signal: await stopSignal }, 'stopping');
  await platform.stop();
  log.info({}, 'stopped');
  log.flush();
}

/** How often the parent process is looked at. */
const parentCheckMs = 250;

/**
 * `npm start` and `npx` run this process through a shell. A SIGTERM ends npm and the shell, and never reaches this
 * process: its parent is another one then. Elsewhere a parent may well end before the server, as with `nohup` or `&`.
 */
function waitForStopSignal({ npm_lifecycle_event: startedBy }: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    let isAsked = false;
    if (startedBy === 'start' || startedBy === 'npx') {
      const parent = process.ppid;
      const check = setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(check);
        isAsked = true;
        resolve('end of npm');
      }, parentCheckMs).unref();
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(1);
        isAsked = true;
        resolve(signal);
      });
    }
  });
}

function announce(url: string, hasConsole: boolean): void {
  const lines = [
    `Plumbline is running at ${url}`,
    ...(hasConsole ? [`  Console        ${url}/console/`] : []),
    `  API reference  ${url}/docs`,
    `  Contract       ${url}/openapi.json`,
    `  Health         ${url}/health/ready`,
    'Stop it with Ctrl-C.',
  ];
  console.error(lines.join('\n'));
}

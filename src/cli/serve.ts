import { onEndOfNpm } from '../contract/end-of-npm.js';
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

function waitForStopSignal(environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    let isAsked = false;
    onEndOfNpm(environment, () => {
      isAsked = true;
      resolve('end of npm');
    });
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

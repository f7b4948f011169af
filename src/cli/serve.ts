import { startPlatform } from '../platform/platform.js';
import { readSettings } from '../platform/settings.js';
import { createLog } from './log.js';

/** Runs the server until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog(settings.logLevel, 1);
  const stopSignal = waitForStopSignal(); // a signal that comes during the start must not leave things half started
  const platform = await startPlatform(settings, { log });
  announce(platform.url);

  log.info({ signal: await stopSignal }, 'stopping');
  await platform.stop();
  log.info({}, 'stopped');
  log.flush();
}

function waitForStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(1);
        isAsked = true;
        resolve(signal);
      });
    }
  });
}

function announce(url: string): void {
  const lines = [
    `Plumbline is running at ${url}`,
    `  API reference  ${url}/docs`,
    `  Contract       ${url}/openapi.json`,
    `  Health         ${url}/health/ready`,
    'Stop it with Ctrl-C.',
  ];
  console.error(lines.join('\n'));
}

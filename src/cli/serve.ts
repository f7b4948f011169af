import { startPlatform } from '../platform/platform.js';
import { readSettings } from '../platform/settings.js';
import { createLog } from './log.js';

/** Runs the server until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog(settings.logLevel, 1);
  const platform = await startPlatform(settings, { log });
  announce(platform.url);

  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'stopping');
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
  await platform.stop();
  log.info({}, 'stopped');
  log.flush();
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

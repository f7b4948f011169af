import { onEndOfNpm } from '@plumbline/contract/system/end-of-npm';
import { startTracing, stopTracing } from '@plumbline/contract/system/start-tracing';
import { checkExposure } from '../platform/server/doctor/exposure-checks.js';
import { localUrl } from '../platform/server/local-url.js';
import { startPlatform } from '../platform/platform.js';
import { readSettings } from '../platform/server/settings.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { createServerLog } from './log.js';
import { removeServerAddress, writeServerAddress } from './server-address.js';

export interface ServeOptions extends ConfigOption {
  readonly host?: string;
  readonly port?: string;
  readonly home?: string;
}

/**
 * Runs the server until SIGTERM or SIGINT, or until the npm that started it ends. A second signal exits immediately.
 */
export async function serve({ host, port, home, ...config }: ServeOptions): Promise<void> {
  const environment = await commandEnvironment(config);
  const options = { HOST: host, PORT: port, PLUMBLINE_HOME: home };
  const settings = readSettings({ ...environment, ...withoutUndefined(options) });
  const log = await createServerLog(settings);
  await startTracing(process.env, (problem) => {
    log.warn({ problem }, 'traces cannot be exported');
  });
  const stopSignal = waitForStopSignal(process.env); // a signal during the start must not leave it incomplete
  const ending = new AbortController();
  void stopSignal.then(() => {
    ending.abort();
  });
  const platform = await startPlatform(settings, { log, ending: ending.signal });
  for (const { check, status, message, remedy } of checkExposure(settings)) {
    if (status !== 'ok') log.warn({ check, remedy }, message);
  }
  // A browser on this machine cannot use the address 0.0.0.0.
  const url = localUrl({ host: settings.host, port: Number(new URL(platform.url).port || 80) });
  await writeServerAddress(settings, url, log);
  announce(url, settings.console);

  const signal = await stopSignal;
  log.info({ signal }, 'stopping');
  await removeServerAddress(settings, url);
  await platform.stop({ drains: signal !== 'SIGINT' }); // a person at a terminal waits for the end
  await stopTracing();
  log.info({}, 'stopped');
  log.flush();
}

function withoutUndefined(settings: Environment): Environment {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
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
    ...(hasConsole ? [`Open the console: ${url}/console/`, ''] : []),
    `Plumbline is running at ${url}`,
    `  API reference  ${url}/docs`,
    `  Contract       ${url}/openapi.json`,
    `  Health         ${url}/health/ready`,
    'Stop it with Ctrl-C.',
  ];
  console.error(lines.join('\n'));
}

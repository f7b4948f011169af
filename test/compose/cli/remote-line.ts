/** A command line and a server on the same mock backend, which lives as long as the test. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { parseListenAddress } from '../../../src/compose/service/listen-address.js';
import { prepareListening, type ListenOptions } from '../../../src/compose/service/listening.js';
import { createComposeService } from '../../../src/compose/service/service.js';
import type { Allowance } from '../../../src/compose/service/trust/allowances.js';
import { captureLog } from '../../support/captured-log.js';
import { loadingWorker } from '../../support/loading-worker.js';
import { commandLine, type CommandLine, type Ran, type Running, type CommandLineOptions } from './command-line.js';

export interface RemoteLine {
  /** Commands on the backend itself. */
  readonly local: CommandLine;
  readonly address: string;
  /** The same commands by way of the server. */
  run(...args: string[]): Promise<Ran>;
  begin(...args: string[]): Running;
  /** The secrets and configs whose content the server keeps for a project, such as `secrets.token`. */
  stored(project: string): Promise<string[]>;
}

/**
 * @param files of the working directory; a text alone is its compose.yaml
 * @param listening where the server listens (default: a Unix socket), and with what
 * @param given arguments of every command, besides `--remote`
 * @param allow what the operator of the server allows
 */
export async function remoteLine(
  files: string | Readonly<Record<string, string>>,
  options: CommandLineOptions = {},
  listening?: ListenOptions,
  given: readonly string[] = [],
  allow: readonly Allowance[] = [],
): Promise<RemoteLine> {
  const local = await commandLine(files, options);
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-remote-'));
  const { log } = captureLog();
  const where = listening ?? { address: parseListenAddress(`unix://${join(folder, 'api.sock')}`, '/') };
  const prepared = await prepareListening(where, log);
  const service = await createComposeService({
    backend: local.backend,
    clock: local.clock,
    log,
    version: '1.2.3',
    projectsFolder: join(folder, 'projects'),
    loadingWorker,
    allowances: new Set(allow),
    entrance: prepared,
    replyValidation: 'always',
    pages: {
      openapi: pathToFileURL('generated/compose/openapi.json'),
      reference: pathToFileURL('src/compose/dist/docs/compose/'),
    },
  });
  const server = await prepared.listen(service.listener);
  onTestFinished(async () => {
    service.endStreams();
    await server.stop(1_000);
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const args = ['--remote', server.url, ...given];
  return {
    local,
    address: server.url,
    run: (...more) => local.run(...args, ...more),
    begin: (...more) => local.begin(...args, ...more),
    async stored(project) {
      const file = join(folder, 'projects', '.files', `${project}.json`);
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
        throw error;
      });
      return Object.keys(JSON.parse(text) as object).sort();
    },
  };
}

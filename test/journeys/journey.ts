import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import PostalMime from 'postal-mime';
import { record } from '../../src/contract-tools/documents.js';
import { builtCommand } from '../cli/built-command.js';
import { startServer, type ServerProcess } from '../cli/plumbline.js';
import { recordGraphqlExchange } from '../support/graphql-recorder.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { createTestDatabase } from '../support/postgres.js';
import { exchangesOfHar, type HarExchange } from '../support/recorder-har.js';
import { recordExchange } from '../support/recorder.js';

/** A server as an operator starts it, on which the journeys of `openapi/workflows/` are walked. */
export interface JourneyServer {
  /**
   * Runs one workflow with `redocly respect`, and has the recorder check every exchange of it.
   *
   * @param file without `.arazzo.yaml`
   * @returns how many requests were made
   * @throws Error with the report, when a step is not as its criteria say
   */
  walk(file: string, workflow: string, inputs: Readonly<Record<string, string>>): Promise<number>;
  /** The body of the last reply in a workflow that was run. */
  lastReply(file: string, workflow: string): Promise<Readonly<Record<string, unknown>>>;
  readonly url: string;
  /** Waits for a mail to come, and gives the token in its link. */
  tokenMailedTo(address: string, kind: 'verification' | 'reset' | 'invite'): Promise<string>;
  stop(): Promise<void>;
}

export const workflows = 'openapi/workflows';
const run = promisify(execFile);

/** No report about us goes anywhere, and no notice comes in. */
export const quietRedocly: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  NO_COLOR: '1',
};

/** @param through what stands between the server and its database. @param environment more settings */
export async function startJourneyServer(
  through: 'nothing' | 'PgBouncer' = 'nothing',
  environment: Readonly<Record<string, string>> = {},
): Promise<JourneyServer> {
  await builtCommand();
  const database = await createTestDatabase();
  const pooler = through === 'PgBouncer' ? await startPgBouncer(database.uri) : null;
  const home = await mkdtemp(join(tmpdir(), 'plumbline-journey-'));
  const server = await startServer({
    environment: {
      PLUMBLINE_HOME: home,
      DATABASE_URI: pooler === null ? database.uri : `${pooler.uri}?pooler=transaction`,
      AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'false',
      AUTH_REGISTER_LIMIT: 'off',
      AUTH_LOGIN_LIMIT: 'off', // each journey logs in
      INTEGRATION_NETWORKS: '127.0.0.0/8', // where the code host of the journeys is
      REPLY_VALIDATION: 'always',
      ...environment,
    },
  });
  return {
    url: server.url,
    walk: (file, workflow, inputs) => walk(server, home, file, workflow, inputs),
    lastReply: async (file, workflow) => {
      const exchanges = await exchangesOf(harOf(home, file, workflow));
      return record(JSON.parse(String(exchanges.at(-1)?.body)));
    },
    tokenMailedTo: (address, kind) => tokenMailedTo(join(home, 'mailbox'), address, kind),
    stop: async () => {
      server.kill('SIGTERM');
      await server.finished;
      await pooler?.stop();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function walk(
  { url }: ServerProcess,
  home: string,
  file: string,
  workflow: string,
  inputs: Readonly<Record<string, string>>,
): Promise<number> {
  const har = harOf(home, file, workflow);
  const document = `${workflows}/${file}.arazzo.yaml`;
  const options = ['--workflow', workflow, '--server', `platform=${url}`, '--har-output', har, '--no-secrets-masking'];
  const env = { ...quietRedocly, REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs) };
  const command = ['node_modules/@redocly/cli/bin/cli.js', 'respect', document, ...options];
  await run(process.execPath, command, { env }).catch((cause: unknown) => {
    const { stdout, stderr }: { stdout?: unknown; stderr?: unknown } = Object(cause);
    throw new Error(`The journey ${file}: ${workflow} failed:\n${String(stdout)}\n${String(stderr)}`, { cause });
  });
  const exchanges = await exchangesOf(har);
  for (const exchange of exchanges) {
    const { pathname: path } = new URL(exchange.url);
    // The Analytics API has a contract of another kind.
    if (path === '/graphql') {
      const { headers, body } = exchange;
      recordGraphqlExchange({ ...exchange, path, headers: new Headers(headers), body: String(body) });
    } else recordExchange('platform', exchange);
  }
  return exchanges.length;
}

function harOf(home: string, file: string, workflow: string): string {
  return join(home, `${file}-${workflow}.har`);
}

async function exchangesOf(har: string): Promise<HarExchange[]> {
  return exchangesOfHar(JSON.parse(await readFile(har, 'utf8')));
}

async function tokenMailedTo(mailbox: string, address: string, kind: string): Promise<string> {
  for (;;) {
    // A mail is written after the reply; vitest's own limit ends a wait for one that never comes.
    const names = (await readdir(mailbox).catch(() => [])).filter(
      (name) => !name.startsWith('.') && name.includes(`-${kind}-`),
    );
    for (const name of names.sort().reverse()) {
      const { to, text = '' } = await PostalMime.parse(await readFile(join(mailbox, name)));
      const token = /[?&]token=([\w%-]+)/.exec(text)?.[1];
      if (to?.some((each) => each.address === address) === true && token !== undefined)
        return decodeURIComponent(token);
    }
  }
}

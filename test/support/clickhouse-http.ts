/**
 * A ClickHouse over HTTP for tests: the real engine (chdb, in a separate process) behind the part of the server's HTTP
 * interface that @clickhouse/client uses. TEST_CLICKHOUSE_URI names a real server or cluster instead; TEST_CHDB names
 * the directory in whose node_modules chdb is installed, where it is not installed here.
 *
 * With shards it plays a cluster of so many (`clickhouse-shards.ts`); TEST_CLICKHOUSE_SHARDS gives them to every test.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickHouseUrl, hostsOf } from '../../src/analytics/clickhouse/hosts.js';
import { CLUSTER, clusterConfiguration, openShards, type Session } from './clickhouse-shards.js';

export interface TestClickHouse {
  /** As `--db` takes it. */
  readonly uri: string;
  /** Creates an empty database. @returns its address */
  newDatabase(prefix: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts an engine with an empty database, or says why there is none.
 *
 * @param kept a folder for its files that stays, and the definition of its users (users.xml); for the engine in a process
 */
export async function startClickHouse(
  shards = Number(process.env['TEST_CLICKHOUSE_SHARDS'] ?? 0),
  kept?: { readonly folder: string; readonly users: string },
): Promise<TestClickHouse | { readonly missing: string }> {
  const missing = whyMissing();
  if (missing !== undefined) return { missing };
  const given = givenUri();
  if (given !== undefined && kept === undefined) return served(given, async () => {});
  if (findChdb() === undefined) return { missing: 'the engine in a process, chdb, is not installed' };
  const directory = kept?.folder ?? (await mkdtemp(join(tmpdir(), 'plumbline-chdb-')));
  if (kept !== undefined) await writeFile(join(directory, 'users.xml'), kept.users);
  const child = spawn(
    process.execPath,
    ['--conditions=@plumbline/source', '--import', 'tsx', fileURLToPath(import.meta.url), directory, String(shards)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const uri = `clickhouse://127.0.0.1:${line.toString().trim()}/default${shards > 0 ? `?cluster=${CLUSTER}` : ''}`;
  return served(uri, async () => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    if (kept === undefined) await rm(directory, { recursive: true, force: true });
  });
}

let shared: ReturnType<typeof startClickHouse> | undefined;

/** The engine of the test files that this process runs, started on first use. It ends with the process. */
export async function sharedClickHouse(): Promise<TestClickHouse> {
  shared ??= startClickHouse();
  const engine = await shared;
  if ('missing' in engine) throw new Error(engine.missing);
  return engine;
}

/** Why there is none; undefined: there is one. */
export function whyMissing(): string | undefined {
  if (givenUri() !== undefined || findChdb() !== undefined) return undefined;
  return 'chdb is not installed: npm install chdb in some directory and name it in TEST_CHDB';
}

function givenUri(): string | undefined {
  return process.env['TEST_CLICKHOUSE_URI'] || undefined;
}

function served(uri: string, stop: () => Promise<void>): TestClickHouse {
  const { urls, cluster } = hostsOf(
    clickHouseUrl(uri.replace(/^[^:]*:/, ''), uri.startsWith('clickhouse+https:')) ?? '',
  );
  return {
    uri,
    async newDatabase(prefix) {
      const name = `${prefix}_${randomBytes(6).toString('hex')}`;
      const everywhere = cluster === undefined ? '' : ` on cluster '${cluster}'`;
      const [url = ''] = urls;
      const created = await fetch(url.replace(/\/[^/]*$/, '/'), {
        method: 'POST',
        body: `create database ${name}${everywhere}`,
      });
      if (!created.ok) throw new Error(await created.text());
      return uri.replace(/\/[^/?]*(\?.*)?$/, `/${name}$1`);
    },
    stop,
  };
}

function findChdb(): string | undefined {
  for (const base of [process.env['TEST_CHDB'], process.cwd()]) {
    if (base === undefined || base === '') continue;
    try {
      return createRequire(join(base, 'package.json')).resolve('chdb');
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

/** Answers the requests one after another: the engine of this process has one session. */
function serve(session: Session, shards: number, directory: string): void {
  const run = shards > 0 ? openShards(session, shards) : session.query.bind(session);
  // Parameters travel in the address: a server takes as much of one as this (http_max_uri_size), Node's own 16 KiB do not do.
  const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const parameters = new URL(request.url ?? '/', 'http://localhost').searchParams;
      const query = parameters.get('query');
      const body = Buffer.concat(chunks).toString('utf8');
      try {
        const database = parameters.get('database') ?? 'default';
        session.query(`USE "${database}"`);
        for (const [name, value] of parameters) {
          if (name.startsWith('param_') || SETTINGS.test(name)) session.query(`SET ${name} = '${escaped(value)}'`);
        }
        const text = query === null ? body : `${query}\n${body}`;
        const answer = run(text, parameters.get('default_format') ?? 'TabSeparated', database);
        response.setHeader('content-type', 'application/json; charset=utf-8').end(answer);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        response.writeHead(500, { 'x-clickhouse-exception-code': /Code: (\d+)/.exec(text)?.[1] ?? '1' }).end(text);
      }
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
  // The parent holds the other end: when it is gone, so is this process.
  process.stdin
    .on('close', () => {
      if (!existsSync(join(directory, 'users.xml'))) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
      process.exit(0);
    })
    .resume();
}

const SETTINGS =
  /^(date_time_|output_format_|input_format_|max_|join_|final|mutations_sync|lightweight_|insert_|load_|prefer_|distributed_|optimize_)/;

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}

const [, script, directory, shards] = process.argv;
if (directory !== undefined && script === fileURLToPath(import.meta.url)) {
  const chdb = findChdb();
  if (chdb === undefined) throw new Error('chdb is not installed');
  const { Session } = createRequire(import.meta.url)(chdb) as {
    Session: new (path: string, options: { readonly connectionArgs: readonly string[] }) => Session;
  };
  const configuration = `${directory}/cluster.xml`;
  const users = join(directory, 'users.xml');
  writeFileSync(
    configuration,
    existsSync(users)
      ? `<clickhouse><users_config>${users}</users_config></clickhouse>`
      : clusterConfiguration(Number(shards)),
  );
  serve(
    new Session(`${directory}/data`, { connectionArgs: [`--config-file=${configuration}`] }),
    Number(shards),
    directory,
  );
}

/**
 * A ClickHouse over HTTP for tests: the real engine (chdb, in a separate process) behind the part of the server's HTTP
 * interface that @clickhouse/client uses. TEST_CLICKHOUSE_URI names a real server instead; TEST_CHDB names the
 * directory in whose node_modules chdb is installed, where it is not installed here.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TestClickHouse {
  /** As `--db` takes it. */
  readonly uri: string;
  stop(): Promise<void>;
}

/** Starts an engine with an empty database, or says why there is none. */
export async function startClickHouse(): Promise<TestClickHouse | { readonly missing: string }> {
  const given = process.env['TEST_CLICKHOUSE_URI'];
  if (given !== undefined && given !== '') return { uri: given, stop: async () => {} };
  if (findChdb() === undefined) {
    return { missing: 'chdb is not installed: npm install chdb in some directory and name it in TEST_CHDB' };
  }
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-chdb-'));
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    uri: `clickhouse://127.0.0.1:${line.toString().trim()}/default`,
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Session {
  query(sql: string, format?: string): string;
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
function serve(session: Session): void {
  // Parameters travel in the address: a server takes as much of one as this (http_max_uri_size), Node's own 16 KiB do not do.
  const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const parameters = new URL(request.url ?? '/', 'http://localhost').searchParams;
      const query = parameters.get('query');
      const body = Buffer.concat(chunks).toString('utf8');
      try {
        session.query(`USE "${parameters.get('database') ?? 'default'}"`);
        for (const [name, value] of parameters) {
          if (name.startsWith('param_') || SETTINGS.test(name)) session.query(`SET ${name} = '${escaped(value)}'`);
        }
        const answer = session.query(
          query === null ? body : `${query}\n${body}`,
          parameters.get('default_format') ?? 'TabSeparated',
        );
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
  process.stdin.on('close', () => process.exit(0)).resume();
}

const SETTINGS = /^(date_time_|output_format_|input_format_|max_|join_|final|mutations_sync|lightweight_)/;

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}

const [, script, directory] = process.argv;
if (directory !== undefined && script === fileURLToPath(import.meta.url)) {
  const chdb = findChdb();
  if (chdb === undefined) throw new Error('chdb is not installed');
  const { Session } = createRequire(import.meta.url)(chdb) as { Session: new (path: string) => Session };
  const session = new Session(directory);
  serve(session);
}

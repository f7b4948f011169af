import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testPassword } from '../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { builtCommand } from './built-command.js';
import { startServer, type ServerProcess } from './plumbline.js';

let home: string;
let database: TestDatabase;
let server: ServerProcess;
beforeEach(async () => {
  await builtCommand();
  home = await mkdtemp(join(tmpdir(), 'plumbline-shutdown-'));
  database = await createTestDatabase();
  const environment = { PLUMBLINE_HOME: home, DATABASE_URI: database.uri, AUTH_REGISTER_LIMIT: 'off' };
  server = await startServer({ environment });
});
afterEach(async () => {
  server.kill('SIGKILL');
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

test('SIGTERM during requests: they are answered, readiness is 503, new connections are refused, and the exit code is 0', async () => {
  const emails = Array.from({ length: 12 }, (_, index) => `caller-${index}@example.com`);
  const callers = await Promise.all(emails.map((email) => beginRegistration(server, email)));
  server.kill('SIGTERM');
  await refusingConnections(server);

  // Their bodies come only now; one connection brings a request more, which it has a right to.
  const [first] = callers;
  const readiness = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (const caller of callers) caller.finish(caller === first ? readiness : '');
  const replies = await Promise.all(callers.map(({ replies: all }) => all));
  for (const reply of replies) expect(reply).toMatch(/^HTTP\/1\.1 201 /);
  expect(replies[0]).toContain('HTTP/1.1 503 ');
  expect(replies[0]).toContain('The server is shutting down.');

  expect(await server.finished).toMatchObject({ exitCode: 0, signal: null });
  expect(server.logLines.at(-1)).toMatchObject({ msg: 'stopped' });
  const sql = postgres(database.uri, { max: 1 });
  expect(await sql`select email from users`).toHaveLength(emails.length);
  // Each mail is written, or waits in the outbox for the next server.
  const waiting = await sql`select id from outgoing_mails`;
  const written = await readdir(join(home, 'mailbox')).catch(() => []);
  expect(written.length + waiting.length).toBe(emails.length);
  await sql.end();
});

test.each(['0', '2'])(
  'SIGTERM resets no connection that was accepted, with SHUTDOWN_DRAIN=%s',
  async (SHUTDOWN_DRAIN) => {
    const environment = {
      PLUMBLINE_HOME: home,
      DATABASE_URI: database.uri,
      AUTH_REGISTER_LIMIT: 'off',
      AUTH_REGISTER_ATTEMPT_LIMIT: 'off',
      SHUTDOWN_DRAIN,
    };
    const stopping = await startServer({ environment });
    const { hostname, port } = new URL(stopping.url);
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(Number(port), hostname)));
    const replies = sockets.map(everythingFrom);
    for (const [index, socket] of sockets.entries()) {
      const body = JSON.stringify({ email: `caller-${index}@example.com`, password: testPassword });
      const fields = `Host: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      socket.write(`POST /api/v1/auth/register HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
    }
    stopping.kill('SIGTERM');
    const statuses = (await Promise.all(replies)).map((reply) => reply.slice(0, 'HTTP/1.1 201'.length));
    expect(await stopping.finished).toMatchObject({ exitCode: 0, signal: null });
    expect([...new Set(statuses)].filter((status) => !/^HTTP\/1\.1 (201|503)$/.test(status))).toEqual([]);
    const sql = postgres(database.uri, { max: 1 });
    expect(await sql`select email from users`).toHaveLength(statuses.filter((each) => each.endsWith('201')).length);
    await sql.end();
  },
);

test('a second signal ends the server at once, even during requests', async () => {
  await beginRegistration(server, 'slow@example.com');
  server.kill('SIGTERM');
  await refusingConnections(server);
  server.kill('SIGINT');
  expect(await server.finished).toMatchObject({ exitCode: 1, signal: null });
});

test('requests that do not end are cut at the deadline', async () => {
  server.kill('SIGKILL');
  await server.finished;
  const environment = { PLUMBLINE_HOME: home, DATABASE_URI: database.uri, SHUTDOWN_DEADLINE: '1' };
  server = await startServer({ environment });
  const caller = await beginRegistration(server, 'slow@example.com');
  server.kill('SIGTERM');
  expect(await server.finished).toMatchObject({ exitCode: 0, signal: null });
  expect(await caller.replies).toBe('');
});

interface Caller {
  /** Sends the rest of the request, and what is to follow on the same connection. */
  finish(more: string): void;
  /** Everything that came until the connection ended. */
  readonly replies: Promise<string>;
}

/** Begins a registration and resolves when the server has read its headers: it says `100 Continue` then. */
async function beginRegistration({ url }: ServerProcess, email: string): Promise<Caller> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ email, password: testPassword });
  const socket = connect(Number(port), hostname);
  socket.setEncoding('latin1');
  socket.write(
    `POST /api/v1/auth/register HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const text = await new Promise<string>((resolve) => socket.once('data', resolve));
  expect(text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  return {
    finish: (more) => socket.write(body + more),
    replies: everythingFrom(socket),
  };
}

async function connected(port: number, host: string): Promise<Socket> {
  const socket = connect(port, host);
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function everythingFrom(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined); // a connection that is cut ends with an error
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve(received);
    });
  });
}

/** Resolves when the server takes no connections any more. */
async function refusingConnections({ url }: ServerProcess): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', () => {
        resolve(true);
      });
    });
    if (refused) return;
  }
}

test('by default, readiness answers 503 on new connections before the listener closes', async () => {
  const environment = { PLUMBLINE_HOME: home, DATABASE_URI: database.uri, SHUTDOWN_DRAIN: '' };
  const draining = await startServer({ environment });
  draining.kill('SIGTERM');
  const readiness = async (): Promise<number> => (await fetch(`${draining.url}/health/ready`)).status;
  await expect.poll(readiness).toBe(503);
  expect((await fetch(`${draining.url}/health/live`)).status).toBe(200);
  expect(await draining.finished).toMatchObject({ exitCode: 0, signal: null });
});

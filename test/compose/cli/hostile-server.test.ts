/** A server cannot make the terminal of its client do anything: its control sequences are removed. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { remoteLine } from './remote-line.js';

/** Control characters alone, so that a string without them is unchanged, and every command continues. */
const CONTROL = '\u001b\u0007\u0008\u0000\u009b\u009d\u007f\r\u000b';
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Every string of a reply, and every key that is chosen by users, with control characters at both ends. */
function poisoned(value: unknown, isFreeMapping = false): unknown {
  if (typeof value === 'string') return `${CONTROL}${value}${CONTROL}`;
  if (Array.isArray(value)) return value.map((item) => poisoned(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      isFreeMapping ? `${key}${CONTROL}` : key,
      poisoned(member, key === 'labels' || key === 'environment'),
    ]),
  );
}

/** Poisons the replies of the server on a socket. What containers print stays as it is. */
async function hostileServer(socketPath: string): Promise<string> {
  const server: Server = createServer((incoming, outgoing) => {
    void (async () => {
      const { method, url: path, headers } = incoming;
      const sent = request({ socketPath, method, path, headers });
      incoming.pipe(sent);
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      const lines = (await text(reply)).split('\n').map((line) => {
        if (line === '') return line;
        const { line: printed, ...others } = JSON.parse(line) as Readonly<Record<string, unknown>>;
        return JSON.stringify({ ...(poisoned(others) as object), ...(printed !== undefined && { line: printed }) });
      });
      outgoing.writeHead(reply.statusCode ?? 0, { 'Content-Type': reply.headers['content-type'] ?? '' });
      outgoing.end(lines.join('\n'));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const files = `
name: shop
services:
  web: { image: app, depends_on: [db], ports: ["127.0.0.1:8080:80"], privileged: false, deploy: { mode: global } }
  db: { image: app }
`;

const commands: readonly (readonly string[])[] = [
  ['up', '--detach'],
  ['--progress', 'tty', 'up', '--detach'],
  ['--progress', 'json', 'up', '--detach', '--force-recreate'],
  ['ps'],
  ['ps', '--all', '--format', 'json'],
  ['ps', '--quiet'],
  ['ps', '--services'],
  ['ls'],
  ['ls', '--quiet'],
  ['ls', '--format', 'json'],
  ['logs'],
  ['logs', '--timestamps'],
  ['logs', '--format', 'json'],
  ['top'],
  ['top', '--format', 'json'],
  ['port', 'web'],
  ['port', 'web', '80'],
  ['exec', 'web', 'true'],
  ['exec', 'nobody', 'true'],
  ['events', '--until', '2020-01-01T00:00:00Z', '--since', '2019-01-01T00:00:00Z'],
  ['scale', 'web=2'],
  ['scale', 'web=2000'],
  ['stop', 'web'],
  ['start', 'web'],
  ['restart', 'web'],
  ['kill', 'web'],
  ['wait', 'web'],
  ['rm', '--force', '--stop', 'web'],
  ['pull'],
  ['build'],
  ['create'],
  ['run', 'web', 'true'],
  ['version'],
  ['up', '--detach', '--scale', 'web=1001'],
  ['down', '--volumes'],
  ['down'],
  ['logs', 'web'],
];

test('no control character of a reply reaches the terminal, in any command', async () => {
  const { local, address } = await remoteLine(files);
  const remote = await hostileServer(address.replace('unix://', ''));
  let printed = 0;
  for (const command of commands) {
    const { stdout, stderr } = await local.run('--ansi', 'never', '--remote', remote, ...command);
    // The live view of progress moves the cursor with control sequences.
    const shown = `${stdout}${stderr}`.replace(/\u001b\[\d+A\u001b\[0J/g, '');
    printed += shown.length;
    expect(shown, command.join(' ')).not.toMatch(forbidden);
    expect(shown, command.join(' ')).not.toContain('Unexpected failure');
  }
  expect(printed).toBeGreaterThan(1000);
});

test('a failure in the last line of a stream of output is the error of the command, without control characters', async () => {
  const { local, address } = await remoteLine(files);
  await local.run('up', '--detach');
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.includes('/logs') === true) {
      const line = { stream: 'stdout', time: '2026-01-01T00:00:00Z', line: 'one' };
      const failure = { type: 'error', error: 'RuntimeError', case: 'backendFailure', message: `${CONTROL}broken` };
      outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      outgoing.end(`${JSON.stringify(line)}\n${JSON.stringify(failure)}\n`);
      return;
    }
    const { method, url: path, headers } = incoming;
    const sent = request({ socketPath: address.replace('unix://', ''), method, path, headers });
    incoming.pipe(sent);
    sent.on('response', (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const remote = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const options of [[], ['--follow']]) {
    const { code, stdout, stderr } = await local.run('--remote', remote, 'logs', ...options);
    expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({ code: 1, last: 'broken' });
    expect(stdout).toContain('one');
  }
});

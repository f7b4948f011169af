/** `plumbline` with servers that a test cannot be given: of another version, and with endless lists. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runMain, startMain } from './main-process.js';

const orgId = '00000000-0000-4000-8000-000000000001';

async function withServer(answer: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server on a port has such an address
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a server with another version of the API is named in one line', async () => {
  await withServer(
    (_request, response) => response.setHeader('X-API-Version', '9.0.0').end('{}'),
    async (url) => {
      const { exitCode, stderr } = await runMain(['whoami', '--server', url], { PLUMBLINE_TOKEN: 'token' });
      expect(stderr).toMatch(
        /^plumbline whoami: the server has version 9\.0\.0 of the API, and this command is for \d[^\n]*\n$/,
      );
      expect(exitCode).toBe(1);
    },
  );
});

test('a reader that stops, as `head` does, ends a list without an error', async () => {
  let pages = 0;
  const items = Array.from({ length: 200 }, (_, at) => ({ id: `t${at}`, name: 'x'.repeat(1000) }));
  await withServer(
    (_request, response) => {
      pages += 1;
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ items, next_cursor: `c${pages}` }));
    },
    async (url) => {
      const list = startMain(['api', 'list-teams', '--org-id', orgId, '--all', '--json', '--server', url], {
        PLUMBLINE_TOKEN: 'token',
      });
      let stderr = '';
      list.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      list.stdout.once('data', () => list.stdout.destroy());
      const ended: unknown[] = await once(list, 'close');
      expect([ended[0], stderr]).toEqual([0, '']);
    },
  );
});

test('control characters in a text of the server are not shown, and its lines are', async () => {
  await withServer(
    (_request, response) =>
      response.setHeader('Content-Type', 'text/plain').end('# HELP\tone\n\u001b[2Jtwo\u0007\u009b31m\nthree\n'),
    async (url) => {
      const { stdout } = await runMain(['api', 'get-metrics', '--server', url], { PLUMBLINE_TOKEN: 'token' });
      expect(stdout).toBe('# HELP\tone\n\ufffd[2Jtwo\ufffd\ufffd31m\nthree\n');
    },
  );
});

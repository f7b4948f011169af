/**
 * A server that others wrote: the petstore of oapi-codegen, which `.ci/petstore` builds. It listens on all addresses, so
 * it runs in a network namespace, and a relay leads to it from a Unix socket.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { closeServer, listen } from '../../src/contract-tools/listen.js';

const folder = process.env['TEST_PETSTORE'];
const inNamespace = ['--map-root-user', '--net', 'sh', '-c'];

/** Why the server cannot run here; '' when it can. */
export const withoutPetstore =
  folder === undefined
    ? ' (skipped: TEST_PETSTORE is not set; .ci/petstore builds it)'
    : spawnSync('unshare', [...inNamespace, 'ip link set lo up']).status === 0
      ? ''
      : ' (skipped: no network namespace can be created)';

/** The contract that the server has, and checks requests against. */
export const petstoreContract = join(folder ?? '', 'petstore.yaml');

export interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

/** Changes what the server replies to a request. */
export type Change = (reply: Reply, asked: { readonly method: string; readonly url: string }) => Reply;

export interface Petstore {
  readonly origin: string;
  stop(): Promise<void>;
}

const relay = `
const { connect, createServer } = require('node:net');
createServer((client) => {
  const server = connect(8080, '127.0.0.1');
  client.pipe(server).pipe(client);
  for (const each of [client, server]) each.on('error', () => (client.destroy(), server.destroy()));
}).listen(process.argv[1]);`;

/**
 * Starts the server with one pet, whose id is 1000.
 *
 * @param socket a path that does not exist
 */
export async function startPetstore(socket: string, change: Change): Promise<Petstore> {
  const command = 'ip link set lo up && { "$0" -port 8080 & exec "$1" -e "$2" "$3"; }';
  const child = spawn(
    'unshare',
    [...inNamespace, command, join(folder ?? '', 'chi'), process.execPath, relay, socket],
    { stdio: 'ignore', detached: true },
  );
  const front = createFront(socket, change);
  const { origin } = await listen(front, { host: '127.0.0.1', port: 0 });
  await createPet(origin);
  return {
    origin,
    async stop() {
      await closeServer(front);
      if (child.pid !== undefined) process.kill(-child.pid);
    },
  };
}

/** Once the server listens. */
async function createPet(origin: string): Promise<void> {
  const pet = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"first"}' };
  for (let attempt = 1; ; attempt += 1) {
    const { status } = await fetch(`${origin}/pets`, pet);
    if (status < 300) return;
    if (attempt === 200) throw new Error(`The petstore does not create a pet: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Forwards each request, and the changed reply. */
function createFront(socketPath: string, change: Change): Server {
  return createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const forwarded = request({ socketPath, method, path: url, headers });
    forwarded.on('response', (received: IncomingMessage) => {
      void text(received).then((body) => {
        const type = received.headers['content-type'];
        const reply = change({ status: received.statusCode ?? 0, type, body }, { method, url });
        answer.writeHead(reply.status, reply.type === undefined ? {} : { 'content-type': reply.type });
        answer.end(reply.body);
      });
    });
    forwarded.on('error', () => answer.writeHead(502).end());
    asked.pipe(forwarded);
  });
}

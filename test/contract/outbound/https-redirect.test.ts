import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCertificates, missingOpenssl } from '../../support/certificates.js';

const run = promisify(execFile);
const missing = missingOpenssl();

/** A port that serves https and http, as the first byte of a connection asks; `/` redirects to http on the same port. */
async function startBoth(cert: string, key: string): Promise<{ readonly port: number; readonly plain: string[] }> {
  const plain: string[] = [];
  const tls = createTlsServer({ cert, key }, (request, response) => {
    response.writeHead(302, { Location: `http://${request.headers.host ?? ''}/next`, Connection: 'close' }).end();
  });
  const http = createHttpServer((request, response) => {
    plain.push(request.url ?? '');
    response.end('followed');
  });
  const port = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: unknown = socket.read(1);
      if (!Buffer.isBuffer(first)) return;
      socket.unshift(first);
      (first[0] === 0x16 ? tls : http).emit('connection', socket);
    });
  });
  await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    port.close();
  });
  return { port: (port.address() as AddressInfo).port, plain }; // listening on TCP
}

describe.skipIf(missing !== null)(`A redirect${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  test('from https to http of the same host and port is refused, and the other is not asked', async () => {
    const certificates = await createCertificates();
    onTestFinished(() => certificates.remove());
    const authority = certificates.authority('test');
    const { cert, key } = certificates.issue(authority, 'localhost');
    const { port, plain } = await startBoth(cert, key);
    // An authority can be added to those that Node trusts at its start only.
    const module = pathToFileURL(join(import.meta.dirname, '../../../src/contract/outbound/outbound-fetch.ts')).href;
    const program =
      `const { outboundFetch } = await import(${JSON.stringify(module)});` +
      `const request = { headers: {}, signal: new AbortController().signal, timeoutMs: 5000 };` +
      `const text = await outboundFetch('any')('https://127.0.0.1:${port}/', request)` +
      `.then((response) => response.text(), (error) => error.name + ': ' + error.message); console.log(text);`;
    const { stdout } = await run(
      process.execPath,
      ['--conditions=@plumbline/source', '--import', 'tsx', '--input-type=module', '--eval', program],
      {
        cwd: join(import.meta.dirname, '../../..'),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: authority.certFile },
      },
    );
    expect(stdout).toBe(`RedirectRefusedError: it redirects to another origin, http://127.0.0.1:${port}\n`);
    expect(plain).toEqual([]);
  });
});

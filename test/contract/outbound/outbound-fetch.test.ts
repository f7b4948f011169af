import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Lookup } from '../../../src/contract/outbound/dispatcher.js';
import {
  outboundFetch,
  RedirectRefusedError,
  UnreachableError,
  type OutboundFetch,
} from '../../../src/contract/outbound/outbound-fetch.js';
import { createCertificates, missingOpenssl } from '../../support/certificates.js';

const missing = missingOpenssl();
const skipped = missing === null ? '' : `(skipped: ${missing})`;

interface Listening {
  readonly url: string;
  readonly port: number;
  readonly requests: IncomingMessage[];
}

async function listening(server: Server, host: string, scheme = 'http'): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { url: `${scheme}://${host}:${port}`, port };
}

async function startServer(listener: RequestListener, host = '127.0.0.1'): Promise<Listening> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('Connection', 'close');
    listener(request, response);
  });
  return { ...(await listening(server, host)), requests };
}

const operator = outboundFetch('any');
const onLoopback = outboundFetch({ networks: ['127.0.0.0/8'] });

function call(fetch: OutboundFetch, url: string, init: { method?: string; body?: string } = {}): Promise<Response> {
  const headers = { 'private-token': 'secret', authorization: 'Bearer secret' };
  return fetch(url, { ...init, headers, signal: new AbortController().signal, timeoutMs: 5000 });
}

function redirectTo(location: string, status = 302): RequestListener {
  return (_request, response) => void response.writeHead(status, { Location: location }).end();
}

describe('an outbound call', () => {
  it('returns status, headers and the decompressed body', async () => {
    const { url } = await startServer((_request, response) => {
      response.writeHead(201, { 'Content-Encoding': 'gzip', 'X-Next': '2' }).end(gzipSync('{"a":1}'));
    });
    const response = await call(onLoopback, url);
    expect([response.status, response.headers.get('x-next'), await response.json()]).toEqual([201, '2', { a: 1 }]);
  });

  it('sends method, headers and body', async () => {
    const { url } = await startServer((request, response) => void request.pipe(response));
    const response = await call(operator, url, { method: 'POST', body: 'query' });
    expect(await response.text()).toBe('query');
  });

  it('fails if the body is longer than the limit, also after decompression', async () => {
    const { url } = await startServer((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000)));
    });
    const options = { signal: new AbortController().signal, timeoutMs: 5000, maxBytes: 50_000 };
    await expect(operator(url, options)).rejects.toThrow('longer than 50000 bytes');
  });

  it('accepts a body of exactly the limit, and none that is a byte longer', async () => {
    const { url } = await startServer((_request, response) => void response.end('12345'));
    const options = { signal: new AbortController().signal, timeoutMs: 5000 };
    expect(await (await operator(url, { ...options, maxBytes: 5 })).text()).toBe('12345');
    await expect(operator(url, { ...options, maxBytes: 4 })).rejects.toThrow('longer than 4 bytes');
  });

  it('ends in time if the host sends a byte now and then, also after garbage collections', async () => {
    const { url } = await startServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => {
        clearInterval(drip);
      });
    });
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void; // It exists with the flag.
    const collecting = setInterval(collectGarbage, 20);
    onTestFinished(() => {
      clearInterval(collecting);
    });
    const { signal } = new AbortController();
    await expect(operator(url, { signal, timeoutMs: 300 })).rejects.toThrow('no reply within 0.3 s');
  });

  it('ends with the reason of the abort signal', async () => {
    const { url } = await startServer(() => undefined);
    const controller = new AbortController();
    const sent = operator(url, { signal: controller.signal, timeoutMs: 5000 });
    controller.abort(new Error('stopped'));
    await expect(sent).rejects.toThrow('stopped');
  });
});

describe('a redirect', () => {
  it.each(['any', { networks: ['127.0.0.0/8'] }] as const)(
    'to another origin is not followed, so that no credentials are sent (%j)',
    async (policy) => {
      const other = await startServer((_request, response) => void response.end('{}'));
      for (const status of [301, 302, 303, 307, 308]) {
        const { url } = await startServer(redirectTo(`${other.url}/latest/meta-data`, status));
        await expect(call(outboundFetch(policy), url)).rejects.toThrow(Error);
      }
      expect(other.requests).toEqual([]);
    },
  );

  it('to another origin is explained to the operator', async () => {
    const { url } = await startServer(redirectTo('http://127.0.0.1:9/'));
    const failure = await call(operator, url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RedirectRefusedError);
    expect(failure).toHaveProperty('message', 'it redirects to another origin, http://127.0.0.1:9');
  });

  it('to an address with a password is refused, and the password is not shown', async () => {
    const server: Listening = await startServer((request, response) => {
      redirectTo(`http://user:hidden@${request.headers.host ?? ''}/`)(request, response);
    });
    const failure = await call(operator, server.url).catch((error: unknown) => error);
    expect(failure).toHaveProperty('message', 'it redirects to an address with a user');
  });

  it.each(['http://HOST', 'https://HOST', '//localhost:PORT', 'file:///etc/passwd', 'http://['])(
    'from http to %s is followed only within the origin',
    async (target) => {
      const server: Listening = await startServer((request, response) => {
        const { host = '' } = request.headers;
        const location = target.replace('HOST', host).replace('PORT', host.split(':')[1] ?? '');
        if (request.url === '/') redirectTo(`${location}/next`)(request, response);
        else response.end('followed');
      });
      const text = await call(operator, server.url).then(
        (response) => response.text(),
        // Another failure would mean that the other origin was asked.
        (error: unknown) => (error instanceof RedirectRefusedError ? 'refused' : String(error)),
      );
      expect(text).toBe(target === 'http://HOST' ? 'followed' : 'refused');
      expect(server.requests).toHaveLength(target === 'http://HOST' ? 2 : 1);
    },
  );

  it('is followed five times', async () => {
    const server = await startServer((request, response) => {
      const count = Number(request.url?.slice(1));
      if (count === 0) response.end('there');
      else redirectTo(`/${count - 1}`)(request, response);
    });
    expect(await (await call(operator, `${server.url}/5`)).text()).toBe('there');
    await expect(call(operator, `${server.url}/6`)).rejects.toThrow('it redirects more than 5 times');
    expect(server.requests).toHaveLength(6 + 6);
  });

  it('of a request with a body is refused', async () => {
    const server = await startServer(redirectTo('/next'));
    await expect(call(operator, server.url, { method: 'POST', body: 'x' })).rejects.toThrow('redirects a POST');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a call for an organization', () => {
  it('reaches nothing on this machine or in private networks', async () => {
    const server = await startServer((_request, response) => void response.end('{}'));
    const fetch = outboundFetch({ networks: [] });
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', 'localhost', '[::ffff:127.0.0.1]', '[::1]'];
    for (const host of hosts) {
      await expect(call(fetch, `http://${host}:${server.port}/`), host).rejects.toThrow(UnreachableError);
    }
    expect(server.requests).toEqual([]);
  });

  it('connects to the checked address, even if the name resolves to another one later', async () => {
    const outside = await startServer((_request, response) => void response.end('outside'), '127.0.0.2');
    const inside = createServer();
    const connections: unknown[] = [];
    inside.on('connection', (socket) => connections.push(socket));
    await new Promise<void>((resolve) => inside.listen(outside.port, '127.0.0.1', resolve));
    onTestFinished(() => void inside.close());
    const answers = ['127.0.0.2', '127.0.0.1'];
    const rebinding: Lookup = (_name, { all = false }, found) => {
      const address = answers.shift() ?? '127.0.0.1';
      if (all) found(null, [{ address, family: 4 }]);
      else found(null, address, 4);
    };
    const fetch = outboundFetch({ networks: ['127.0.0.2/32'] }, rebinding);
    const url = `http://code-host.example:${outside.port}/`;
    expect(await (await call(fetch, url)).text()).toBe('outside');
    expect(answers).toEqual(['127.0.0.1']);
    await expect(call(fetch, url)).rejects.toThrow('it cannot be reached');
    expect(connections).toEqual([]);
  });

  it('is refused when one of the addresses of a name is not allowed', async () => {
    const server = await startServer((_request, response) => void response.end('{}'), '127.0.0.2');
    const both: Lookup = (_name, { all = false }, found) => {
      const addresses = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
      if (all) found(null, addresses);
      else found(null, '127.0.0.1', 4);
    };
    const fetch = outboundFetch({ networks: ['127.0.0.2/32'] }, both);
    await expect(call(fetch, `http://code-host.example:${server.port}/`)).rejects.toThrow(UnreachableError);
    expect(server.requests).toEqual([]);
  });

  it.skipIf(missing !== null)(`has the same message for all unreachable hosts ${skipped}`, async () => {
    const closed = createTcpServer();
    const { url: nothingListens } = await listening(closed, '127.0.0.1');
    await new Promise((resolve) => closed.close(resolve));
    const resetting = await listening(
      createTcpServer((socket) => socket.resetAndDestroy()),
      '127.0.0.1',
    );
    const noHttp = await listening(
      createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
      '127.0.0.1',
    );
    const certificates = await createCertificates();
    onTestFinished(() => certificates.remove());
    const { cert, key } = certificates.issue(certificates.authority('unknown'), 'localhost');
    const untrusted = await listening(createTlsServer({ cert, key }), '127.0.0.1', 'https');
    const redirecting = await startServer(redirectTo('http://169.254.169.254/latest/meta-data'));
    const silent = await startServer(() => undefined);
    const cut = await startServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy());
    });
    const urls = {
      'unknown name': 'http://nothing.invalid/',
      'forbidden address': 'http://10.0.0.1/',
      refused: nothingListens,
      reset: resetting.url,
      'not HTTP': noHttp.url,
      'untrusted certificate': untrusted.url,
      'no TLS': noHttp.url.replace('http', 'https'),
      redirect: redirecting.url,
      silent: silent.url,
      'cut off': cut.url,
    };
    const failures = Object.entries(urls).map(async ([what, url]) => {
      const failure = await onLoopback(url, { signal: new AbortController().signal, timeoutMs: 1000 }).catch(String);
      return [what, failure];
    });
    const same = Object.keys(urls).map((what) => [what, 'UnreachableError: it cannot be reached']);
    expect(await Promise.all(failures)).toEqual(same);
  });
});

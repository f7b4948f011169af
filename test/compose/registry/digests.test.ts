/** How names of images become digests, against a registry with a token server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { pinImages } from '../../../src/compose/registry/digests.js';
import { isLoopback } from '../../../src/compose/registry/hosts.js';
import { freePort } from '../../support/free-port.js';
import type { HostRequest } from '../../support/hosts/server.js';
import { PASSWORD, tokenRegistry, type TokenRegistry } from './token-registry.js';

let registry: TokenRegistry;
beforeEach(async () => {
  registry = await tokenRegistry();
});

/** @param login what `docker login` stored for the registry */
async function pinned(image: string, login?: object): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'plt-pin-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [host = ''] = image.split('/');
  await writeFile(join(directory, 'config.json'), JSON.stringify({ auths: login ? { [host]: login } : {} }));
  const options = { environment: { DOCKER_CONFIG: directory }, signal: new AbortController().signal };
  return (await pinImages([image], options)).get(image);
}

function failureOf(image: string, login?: object): Promise<unknown> {
  return pinned(image, login).then(
    () => 'it was pinned',
    (error: unknown) => error,
  );
}

const encoded = (password: string): object => ({ auth: Buffer.from(`me:${password}`).toString('base64') });

describe('the digest of an image', () => {
  it('is asked for without credentials where everybody may ask', async () => {
    registry = await tokenRegistry({ access: 'everybody' });
    expect(await pinned(`${registry.name}/team/app:1`)).toBe(`${registry.name}/team/app:1@${registry.digest}`);
    expect(registry.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /v2/team/app/manifests/1',
      'GET /token',
      'HEAD /v2/team/app/manifests/1',
    ]);
    expect(registry.requests[1]?.query.get('service')).toBe('registry');
  });

  it('is asked for with the password of docker login, which only the token server gets', async () => {
    const image = `${registry.name}/team/app:1`;
    expect(await pinned(image, encoded(PASSWORD))).toBe(`${image}@${registry.digest}`);
    const told = registry.requests.filter(({ headers }) => headers.authorization?.startsWith('Basic '));
    expect(told.map(({ path }) => path)).toEqual(['/token']);
    expect(registry.requests[1]?.query.get('account')).toBe('me');
  });

  it('is asked for with an identity token', async () => {
    const image = `${registry.name}/team/app:1`;
    expect(await pinned(image, { identitytoken: 'identity' })).toBe(`${image}@${registry.digest}`);
  });

  it('is that of the bytes where the registry does not tell it', async () => {
    registry = await tokenRegistry({ access: 'everybody', tellsDigests: false });
    expect(await pinned(`${registry.name}/team/app:1`)).toBe(`${registry.name}/team/app:1@${registry.digest}`);
  });

  it('is kept where the image has one, and nobody is asked', async () => {
    expect(await pinned(`${registry.name}/team/app:1@${registry.digest}`)).toBe(
      `${registry.name}/team/app@${registry.digest}`,
    );
    expect(await pinned(`alpine@${registry.digest}`)).toBe(`docker.io/library/alpine@${registry.digest}`);
    expect(registry.requests).toEqual([]);
  });

  it('is refused if it is none', async () => {
    registry.fault = () => ({ status: 200, headers: { 'docker-content-digest': 'sha256:none' }, body: '' });
    expect(await failureOf(`${registry.name}/team/app:1`)).toMatchObject({ case: 'invalidReply' });
  });
});

describe('a registry that does not answer as hoped', () => {
  it.each([
    [undefined, 'asks for credentials'],
    [encoded('wrong'), 'refuses the credentials'],
  ])('wants credentials (%j)', async (login, words) => {
    registry.fault = ({ path }) =>
      path === '/token' ? undefined : { status: 401, headers: { 'www-authenticate': 'Basic realm="r"' }, body: {} };
    const failure = await failureOf(`${registry.name}/team/app:1`, login);
    expect(failure).toMatchObject({ case: 'unauthorized' });
    expect(String(failure)).toContain(`${registry.name} ${words}`);
    expect(String(failure)).toContain(`docker login ${registry.name}`);
  });

  it.each([
    ['Negotiate, Basic realm="x"', 'a list'],
    ['Negotiate YWJj==, basic', 'data of another scheme, and no realm'],
    ['Digest realm="a, Bearer realm=\\"b\\"", nonce=1,, Basic realm=x, charset="UTF-8"', 'quotes and empty items'],
  ])('sends the challenge %j (%s)', async (challenge) => {
    const me = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;
    registry.fault = ({ headers }) => {
      if (headers.authorization === me) return { status: 200, body: { schemaVersion: 2 } };
      return { status: 401, headers: { 'www-authenticate': challenge }, body: {} };
    };
    expect(await pinned(`${registry.name}/team/app:1`, encoded(PASSWORD))).toContain('@sha256:');
  });

  it.each([
    'Bearer realm=URL/token',
    'Basic realm="x", Bearer realm = "URL/token" , service=a',
    'bearer REALM=URL/token',
  ])('sends the challenge %j for a token', async (challenge) => {
    const { url } = registry;
    registry.fault = ({ path, headers }) =>
      path === '/token' || headers.authorization?.startsWith('Bearer ')
        ? undefined
        : { status: 401, headers: { 'www-authenticate': challenge.replace('URL', url) }, body: {} };
    expect(await pinned(`${registry.name}/team/app:1`, encoded(PASSWORD))).toContain(registry.digest);
  });

  it.each<[Record<string, string>, string]>([
    [{ 'www-authenticate': 'Negotiate, NTLM abc=' }, 'in a way that is not supported (Negotiate, NTLM)'],
    [{ 'www-authenticate': 'Bearer service="x"' }, 'in a way that is not supported (Bearer)'],
    [{ 'www-authenticate': '"x"' }, 'without saying how'],
    [{}, 'without saying how'],
  ])('sends a challenge that cannot be answered: %j', async (headers, words) => {
    registry.fault = () => ({ status: 401, headers, body: {} });
    expect(await failureOf(`${registry.name}/team/app:1`, encoded(PASSWORD))).toMatchObject({
      case: 'unauthorized',
      message: `${registry.name} asks for credentials ${words}. Supported are Basic, and Bearer with a realm.`,
    });
  });

  it('names a token server with a password in its address, which is not shown', async () => {
    const realm = registry.url.replace('://', '://robot:hidden@');
    registry.fault = () => ({ status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}"` }, body: {} });
    expect(await failureOf(`${registry.name}/team/app:1`)).toMatchObject({
      case: 'invalidReply',
      message: `${registry.name} names a token server with a user in its address.`,
    });
  });

  it.each([
    ['token', 1, ({ path }: HostRequest) => path === '/token', 200],
    ['refusal of a token', 1, ({ path }: HostRequest) => path === '/token', 500],
    ['manifest', 4, ({ method, path }: HostRequest) => method === 'GET' && path.includes('/manifests/'), 200],
  ])('sends a %s of more than %i MiB, which is not read', async (_, mebibytes, isLong, status) => {
    registry = await tokenRegistry({ access: 'everybody', tellsDigests: false });
    const length = mebibytes * 1024 * 1024;
    let sent = length - 100;
    registry.fault = (request) => (isLong(request) ? { status, body: { token: 'a'.repeat(sent) } } : undefined);
    expect(String(await failureOf(`${registry.name}/team/app:1`))).not.toContain('MiB');
    sent = length;
    expect(await failureOf(`${registry.name}/team/app:1`)).toMatchObject({
      case: 'invalidReply',
      message: `${registry.name} sent a reply of more than ${mebibytes} MiB.`,
    });
  });

  it('has a token server that refuses the password', async () => {
    expect(await failureOf(`${registry.name}/team/app:1`, encoded('wrong'))).toMatchObject({ case: 'unauthorized' });
  });

  it('does not have the image', async () => {
    expect(await failureOf(`${registry.name}/team/app:2`, encoded(PASSWORD))).toMatchObject({
      case: 'notFound',
      message: `${registry.name}/team/app:2 does not exist.`,
    });
  });

  it('limits requests, and says how long', async () => {
    registry.fault = () => ({ status: 429, headers: { 'retry-after': '30' }, body: {} });
    expect(await failureOf(`${registry.name}/team/app:1`)).toMatchObject({
      case: 'rateLimited',
      message: `${registry.name} limits the number of requests. Try again in 30 s.`,
    });
  });

  it('fails, and its words cannot control the terminal', async () => {
    const errors = [{ code: 'UNKNOWN', message: 'disk\u001b[2J is full' }];
    registry = await tokenRegistry({ access: 'everybody', tellsDigests: false });
    registry.fault = ({ method, path }) =>
      method === 'GET' && path.startsWith('/v2/team') ? { status: 500, body: { errors } } : undefined;
    expect(await failureOf(`${registry.name}/team/app:1`)).toMatchObject({
      case: 'failed',
      message: `${registry.name} answered with status 500: UNKNOWN: disk [2J is full`,
    });
  });

  it('redirects to another host, which gets nothing', async () => {
    const other = await tokenRegistry();
    registry.fault = () => ({ status: 307, headers: { location: `${other.url}/v2/` }, body: '' });
    expect(await failureOf(`${registry.name}/team/app:1`, encoded(PASSWORD))).toMatchObject({ case: 'invalidReply' });
    expect(other.requests).toEqual([]);
  });

  it('names a token server without TLS, which gets no password', async () => {
    const challenge = 'Bearer realm="http://tokens.example/token"';
    registry.fault = () => ({ status: 401, headers: { 'www-authenticate': challenge }, body: {} });
    expect(await failureOf(`${registry.name}/team/app:1`, encoded(PASSWORD))).toMatchObject({
      case: 'invalidReply',
      message: `${registry.name} names a token server without https.`,
    });
  });

  it('cannot be reached', async () => {
    const port = await freePort();
    expect(String(await failureOf(`localhost:${port}/app`))).toContain(`localhost:${port} cannot be reached: `);
    expect(await failureOf('registry.invalid/app')).toMatchObject({ case: 'unreachable' });
  });
});

describe('the name of an image', () => {
  it.each(['UPPER/case', 'app:', 'app@sha256:12', 'a//b', 'host.example:port/app', 'web:${TAG}', '../app', 'a b'])(
    'is refused: %s',
    async (image) => {
      expect(await failureOf(image)).toMatchObject({ case: 'invalidName' });
    },
  );
});

describe('TLS', () => {
  it('is left out on this machine only', () => {
    const here = ['localhost', 'localhost:5000', '127.0.0.1:80', '127.9.9.9', '[::1]:5000'];
    const elsewhere = ['localhost.example', '127.0.0.1.example', '127.1', '10.0.0.1', '[::2]', '1.127.0.0:80'];
    expect(here.filter((host) => !isLoopback(host))).toEqual([]);
    expect(elsewhere.filter(isLoopback)).toEqual([]);
  });
});

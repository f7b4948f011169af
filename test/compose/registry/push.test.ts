/** How an artifact gets into a registry that grants each action separately. */
import { describe, expect, it } from 'vitest';
import { objectOf } from '../../../src/compose/runtime/json.js';
import { startHost, type Host, type HostReply } from '../../support/hosts/server.js';
import { commandLine } from '../cli/command-line.js';

interface WritableRegistry extends Host {
  readonly name: string;
  /** The manifests that it took. */
  readonly manifests: unknown[];
}

interface Behaviour {
  /** The type of artifacts that it does not know. */
  readonly refuses?: 'artifactType';
  readonly uploads?: string;
}

/** Everybody may do everything, but needs a token for it, which the challenge names. */
async function writableRegistry({ refuses, uploads }: Behaviour = {}): Promise<WritableRegistry> {
  const manifests: unknown[] = [];
  const host = await startHost(({ method, path, query, headers, body }, url): HostReply => {
    if (path === '/token') return { status: 200, body: { access_token: query.get('scope') } };
    const scope = `repository:shop:${method === 'HEAD' ? 'pull' : 'pull,push'}`;
    if (!headers.authorization?.startsWith(`Bearer ${scope}`)) {
      const challenge = `Bearer realm="${url}/token",scope="${scope}",error="insufficient_scope"`;
      return { status: 401, headers: { 'www-authenticate': challenge }, body: {} };
    }
    if (method === 'HEAD') return { status: 404, body: {} };
    if (method === 'POST') return { status: 202, headers: { location: uploads ?? '/uploads/1?state=a' }, body: {} };
    if (path === '/uploads/1')
      return { status: query.get('state') === 'a' && query.has('digest') ? 201 : 400, body: {} };
    const manifest = objectOf(JSON.parse(body));
    if (refuses !== undefined && refuses in manifest) return { status: 400, body: {} };
    manifests.push(manifest);
    return { status: 201, body: {} };
  });
  return Object.assign(host, { name: new URL(host.url).host, manifests });
}

async function publish(
  { name }: WritableRegistry,
  ...flags: string[]
): Promise<{ readonly code: number; readonly stderr: string }> {
  const { run } = await commandLine('services: { a: { image: a } }');
  return run('publish', ...flags, `${name}/shop:1`);
}

describe('an artifact', () => {
  it('is pushed with a token for pushing, once one for reading is not enough', async () => {
    const registry = await writableRegistry();
    expect(await publish(registry)).toMatchObject({ code: 0, stderr: '' });
    const scopes = registry.requests.filter(({ path }) => path === '/token').map(({ query }) => query.get('scope'));
    expect(scopes).toEqual(['repository:shop:pull', 'repository:shop:pull,push']);
    expect(registry.manifests).toMatchObject([{ artifactType: 'application/vnd.docker.compose.project' }]);
  });

  it('is one of version 1.0 where the registry knows no artifacts, unless 1.1 is asked for', async () => {
    const registry = await writableRegistry({ refuses: 'artifactType' });
    expect(await publish(registry)).toMatchObject({ code: 0 });
    expect(registry.manifests).toMatchObject([
      { config: { mediaType: 'application/vnd.docker.compose.config.empty.v1+json' } },
    ]);
    const { code, stderr } = await publish(registry, '--oci-version', '1.1');
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${registry.name} answered with status 400.\n` });
  });

  it('is not pushed again, in version 1.0, where the registry fails', async () => {
    const registry = await writableRegistry();
    registry.fault = ({ path }) => (path.startsWith('/v2/shop/manifests/') ? { status: 503, body: {} } : undefined);
    const { code, stderr } = await publish(registry);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${registry.name} answered with status 503.\n` });
    expect(registry.requests.filter(({ path }) => path.includes('/manifests/')).length).toBe(1);
  });

  it('is not uploaded to an address with a password, which is not shown', async () => {
    const registry = await writableRegistry();
    registry.fault = ({ method }) =>
      method === 'POST'
        ? { status: 202, headers: { location: `http://robot:hidden@${registry.name}/uploads/1` }, body: {} }
        : undefined;
    const { code, stderr } = await publish(registry);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${registry.name} continues at an address with a user.\n`,
    });
  });

  it('is not uploaded to another host', async () => {
    const other = await writableRegistry();
    const registry = await writableRegistry({ uploads: `${other.url}/uploads/1` });
    const { code, stderr } = await publish(registry);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${registry.name} continues on another host, ${other.name}.\n`,
    });
    expect(other.requests).toEqual([]);
  });
});

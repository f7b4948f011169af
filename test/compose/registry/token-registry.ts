/** A registry with a token server, as the specification of the Distribution project describes them. */
import { createHash } from 'node:crypto';
import { startHost, type Host, type HostReply, type HostRequest } from '../../support/hosts/server.js';

export const PASSWORD = 'correct horse';

export interface TokenRegistry extends Host {
  /** As in the name of an image: `127.0.0.1:5000`. */
  readonly name: string;
  readonly digest: string;
}

export interface TokenRegistryOptions {
  /** Who may ask. `everybody` gets a token without credentials. */
  readonly access?: 'everybody' | 'users';
  /** Whether replies have the header `Docker-Content-Digest`. */
  readonly tellsDigests?: boolean;
}

const MANIFEST = JSON.stringify({ schemaVersion: 2 });

/** It has the image `team/app:1`, and ends with the test. */
export async function tokenRegistry(options: TokenRegistryOptions = {}): Promise<TokenRegistry> {
  const { access = 'users', tellsDigests = true } = options;
  const digest = `sha256:${createHash('sha256').update(MANIFEST).digest('hex')}`;

  const token = ({ query, headers, body, method }: HostRequest): HostReply => {
    const form = new URLSearchParams(body);
    const basic = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;
    const isKnown = headers.authorization === basic || (method === 'POST' && form.get('refresh_token') === 'identity');
    const isStranger = headers.authorization === undefined && method === 'GET';
    if (!isKnown && !(access === 'everybody' && isStranger)) return { status: 401, body: {} };
    const scope = query.get('scope') ?? form.get('scope') ?? '';
    return { status: 200, body: { token: `token for ${scope}` } };
  };

  const host = await startHost((request, url) => {
    const { path, headers } = request;
    if (path === '/token') return token(request);
    if (headers.authorization !== 'Bearer token for repository:team/app:pull') {
      const challenge = `Bearer realm="${url}/token",service="registry",scope="repository:team/app:pull"`;
      return { status: 401, headers: { 'www-authenticate': challenge }, body: {} };
    }
    if (path !== '/v2/team/app/manifests/1') return { status: 404, body: { errors: [{ code: 'MANIFEST_UNKNOWN' }] } };
    return {
      status: 200,
      headers: tellsDigests ? { 'docker-content-digest': digest } : {},
      body: JSON.parse(MANIFEST) as unknown,
    };
  });
  return Object.assign(host, { name: new URL(host.url).host, digest });
}

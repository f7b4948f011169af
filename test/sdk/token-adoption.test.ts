import { describe, expect, it } from 'vitest';
import type { TokenPair } from '../../sdk/src/index.js';
import {
  acceptInvite,
  acceptMyInvite,
  changePassword,
  createPlatformClient,
  getMe,
  login,
  onboard,
  refreshTokens,
  signOut,
  switchOrganization,
  type PlatformClient,
} from '../../sdk/src/platform.js';
import { me, startPlatform, tokens, user } from './platform-server.js';
import { hangUp, startScript } from './scripted-server.js';
import { pair, slowStore } from './token-pairs.js';

const password = 'seven quiet rivers 7';
const orgId = 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03';
const session = { ...tokens(2), needs_onboarding: false, user };
const membership = { tokens: tokens(2), org_id: orgId, org_name: 'Example Works', role: 'owner' } as const;
const issuing: [string, (client: PlatformClient) => Promise<unknown>][] = [
  ['login', (client) => login(client, { body: { email: user.email, password } })],
  ['refreshTokens', (client) => refreshTokens(client, { body: { refresh_token: 'refresh-1' } })],
  ['switchOrganization', (client) => switchOrganization(client, { body: { org_id: orgId } })],
  ['onboard', (client) => onboard(client, { body: { action: 'create_org', org_name: 'Example Works' } })],
  ['acceptInvite', (client) => acceptInvite(client, { body: { token: 'an-invite' } })],
  ['acceptMyInvite', (client) => acceptMyInvite(client, { params: { invite_id: orgId } })],
  ['changePassword', (client) => changePassword(client, { body: { current_password: 'old', new_password: password } })],
];

describe('a client', () => {
  it.each(issuing)('adopts the tokens of %s', async (_operation, call) => {
    const client = createPlatformClient({ baseUrl: await issuer() });
    await client.tokens.set(pair(1));
    await call(client);
    expect(await client.tokens.get()).toEqual(pair(2));
  });

  it('sends the access token only with the operations that accept one', async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await startPlatform({ handlers: { getMe: () => ({ status: 200, body: me }), ...loginHandler } });
    const client = createPlatformClient({
      baseUrl: url,
      fetch: (address, init) => {
        seen.push(init.headers['authorization']);
        return fetch(address, init);
      },
    });
    await login(client, { body: { email: user.email, password } });
    await getMe(client);
    await login(client, { body: { email: user.email, password } });
    expect(seen).toEqual([undefined, 'Bearer access-2', undefined]);
  });

  it('keeps its tokens if the call asks for that', async () => {
    const client = createPlatformClient({ baseUrl: await issuer() });
    await login(client, { body: { email: user.email, password }, adoptTokens: false });
    expect(await client.tokens.get()).toBeNull();
  });

  it('keeps its tokens if a login returns none', async () => {
    const body = { status: 'email_verification_required', email: user.email, message: 'Verify.' } as const;
    const { url } = await startPlatform({ handlers: { login: () => ({ status: 200, body }) } });
    const client = createPlatformClient({ baseUrl: url });
    const result = await login(client, { body: { email: user.email, password } });
    expect(result.ok && 'access_token' in result.data).toBe(false);
    expect(await client.tokens.get()).toBeNull();
  });

  it('keeps tokens in the given store, and reports each change', async () => {
    const heard: (TokenPair | null)[] = [];
    const store = slowStore(null);
    const client = createPlatformClient({
      baseUrl: await issuer(),
      tokens: store,
      onTokens: (each) => heard.push(each),
    });
    await login(client, { body: { email: user.email, password } });
    expect(await store.get()).toEqual(pair(2));
    await client.tokens.clear();
    expect(heard).toEqual([pair(2), null]);
  });

  it('does not repeat a token that cannot be sent', async () => {
    const client = createPlatformClient({ baseUrl: await issuer() });
    await client.tokens.set({ access_token: 'top secret\n' });
    const error: unknown = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('secret');
  });

  it('does not repeat a header that cannot be sent', async () => {
    const client = createPlatformClient({ baseUrl: await issuer() });
    const error: unknown = await getMe(client, { headers: { authorization: 'Bearer secret\n' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toBe('TypeError: The value of the header authorization cannot be sent');
  });
});

describe('signing out', () => {
  it('ends the session at the server and drops the tokens', async () => {
    const ended: unknown[] = [];
    const { url } = await startPlatform({
      handlers: {
        logout: ({ body }) => {
          ended.push(body);
          return { status: 200, body: { message: 'Logout successful' } };
        },
      },
    });
    const client = createPlatformClient({ baseUrl: url });
    await client.tokens.set(pair(1));
    expect(await signOut(client)).toMatchObject({ ok: true });
    expect(ended).toEqual([{ refresh_token: 'refresh-1' }]);
    expect(await client.tokens.get()).toBeNull();
  });

  it('drops the tokens even when the server cannot be reached', async () => {
    const { url } = await startScript(hangUp);
    const client = createPlatformClient({ baseUrl: url });
    await client.tokens.set(pair(1));
    await expect(signOut(client)).rejects.toThrow('POST /api/v1/auth/logout');
    expect(await client.tokens.get()).toBeNull();
  });

  it('sends no request without a session', async () => {
    const { url, requests } = await startScript(hangUp);
    expect(await signOut(createPlatformClient({ baseUrl: url }))).toBeNull();
    expect(requests).toEqual([]);
  });
});

const loginHandler = { login: () => ({ status: 200, body: session }) as const };

async function issuer(): Promise<string> {
  const { url } = await startPlatform({
    handlers: {
      ...loginHandler,
      refreshTokens: () => ({ status: 200, body: { ...tokens(2), user } }),
      switchOrganization: () => ({ status: 200, body: session }),
      onboard: () => ({ status: 200, body: membership }),
      acceptInvite: () => ({ status: 200, body: membership }),
      acceptMyInvite: () => ({ status: 200, body: membership }),
      changePassword: () => ({ status: 200, body: { message: 'Changed.', tokens: tokens(2) } }),
    },
  });
  return url;
}

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as problems from '../../generated/problems.js';
import type { TokenPair, TokenStore } from '../../sdk/src/index.js';
import { memoryTokenStore } from '../../sdk/src/index.js';
import {
  changePassword,
  createPlatformClient,
  getMe,
  login,
  onboard,
  switchOrganization,
  type PlatformClient,
} from '../../sdk/src/platform.js';
import { me, startPlatform, tokens, user, type PlatformServer } from './platform-server.js';
import { recordedTiming } from './scripted-server.js';
import { pair, slowStore } from './token-pairs.js';

type RefreshReply = ReturnType<Parameters<typeof startPlatform>[0]['handlers']['refreshTokens'] & object>;

describe('a refused access token', () => {
  it('is renewed, and the request sent again', async () => {
    const { client, server } = await expired();
    expect(await getMe(client)).toMatchObject({ ok: true, data: { email: user.email } });
    expect(await client.tokens.get()).toEqual(pair(2));
    expect(server.served.map(({ operationId, status }) => `${operationId} ${status}`)).toEqual([
      'getMe 401',
      'refreshTokens 200',
      'getMe 200',
    ]);
  });

  it('is renewed once for fifty calls at the same time', async () => {
    const { client, server } = await expired();
    const results = await Promise.all(Array.from({ length: 50 }, () => getMe(client)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(server.count('refreshTokens')).toBe(1);
  });

  it('is renewed once for clients that share a store, if the store has exclusively', async () => {
    let last: Promise<unknown> = Promise.resolve();
    const shared: TokenStore = {
      ...memoryTokenStore(pair(1)),
      exclusively: (exchange) => {
        const result = last.then(exchange);
        last = result;
        return result;
      },
    };
    const { client, server } = await expired({ store: shared });
    const other = createPlatformClient({ baseUrl: server.url, tokens: shared });
    const results = await Promise.all([getMe(client), getMe(other), getMe(client), getMe(other)]);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(server.count('refreshTokens')).toBe(1);
  });

  it('is renewed once even if the store is slow', async () => {
    const { client, server } = await expired({ store: slowStore(pair(1)) });
    const results = await Promise.all(Array.from({ length: 20 }, () => getMe(client)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(server.count('refreshTokens')).toBe(1);
  });

  it('is not renewed again for a late 401 of the previous token', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { client, server } = await expired({
      // The reply to the first request arrives when everything else is done.
      fetch: (() => {
        let calls = 0;
        return async (url, init) => {
          calls += 1;
          const first = calls === 1;
          const response = await fetch(url, init);
          if (first) await held;
          return response;
        };
      })(),
    });
    const late = getMe(client);
    expect(await getMe(client)).toMatchObject({ ok: true });
    release();
    expect(await late).toMatchObject({ ok: true });
    expect(server.count('refreshTokens')).toBe(1);
  });

  it('has the request sent again with its body', async () => {
    const names: unknown[] = [];
    const { client } = await expired({
      handlers: {
        onboard: ({ body }) => {
          names.push(body);
          return { status: 200, body: { tokens: tokens(3), org_id: orgId, org_name: 'Works', role: 'owner' } };
        },
      },
    });
    const body = { action: 'create_org', org_name: 'Works' } as const;
    expect(await onboard(client, { body })).toMatchObject({ ok: true });
    expect(names).toEqual([body]);
    expect(await client.tokens.get()).toEqual(pair(3));
  });

  it('has the request sent again exactly once', async () => {
    const { client, server } = await expired({ accepts: () => false });
    expect(await getMe(client)).toMatchObject({ ok: false, status: 401 });
    expect(server.count('getMe')).toBe(2);
    expect(server.count('refreshTokens')).toBe(1);
  });

  it('is not renewed for a problem with another cause', async () => {
    const { client, server } = await expired({
      accepts: () => true,
      handlers: { changePassword: () => problems.wrongPassword({ message: 'Wrong password.' }) },
    });
    await changePassword(client, { body: { current_password: 'old', new_password: 'seven quiet rivers 7' } });
    expect(server.count('refreshTokens')).toBe(0);
  });

  it('is returned as the result without a refresh token', async () => {
    const { client, server } = await expired({ store: memoryTokenStore({ access_token: 'access-1' }) });
    expect(await getMe(client)).toMatchObject({ ok: false, status: 401 });
    expect(server.count('refreshTokens')).toBe(0);
  });
});

describe('a refresh that fails', () => {
  it.each([
    ['unknown', problems.invalidRefreshToken()],
    ['used before', problems.refreshTokenReused()],
  ])('because the refresh token is %s returns the 401 and drops the tokens', async (_what, refusal) => {
    const heard: (TokenPair | null)[] = [];
    const { client } = await expired({ refresh: () => refusal, onTokens: (each) => heard.push(each) });
    const result = await getMe(client);
    expect(result).toMatchObject({ status: 401, problem: { type: '/problems/unauthenticated' } });
    expect(await client.tokens.get()).toBeNull();
    expect(heard).toEqual([null]);
  });

  it('because the server is unavailable returns the 401 and keeps the tokens', async () => {
    let broken = true;
    const { client } = await expired({
      refresh: () =>
        broken
          ? problems.serviceUnavailable({ message: 'Later.', retry_after_seconds: 5 })
          : { status: 200, body: { ...tokens(2), user } },
    });
    expect(await getMe(client)).toMatchObject({ ok: false, status: 401 });
    expect(await client.tokens.get()).toEqual(pair(1));
    broken = false;
    expect(await getMe(client)).toMatchObject({ ok: true });
  });

  it('because the connection breaks returns the 401, and does not send the refresh token again', async () => {
    let exchanges = 0;
    const { client } = await expired({
      fetch: (url, init) => {
        if (!url.endsWith('/auth/refresh')) return fetch(url, init);
        exchanges += 1;
        return Promise.reject(new TypeError('fetch failed'));
      },
    });
    expect(await getMe(client)).toMatchObject({ ok: false, status: 401 });
    expect(exchanges).toBe(1);
  });

  it('because another process has refreshed uses the tokens of that process', async () => {
    const store = memoryTokenStore(pair(1));
    const { client } = await expired({
      store,
      refresh: async () => {
        await store.set(pair(2));
        return problems.refreshTokenReused();
      },
    });
    expect(await getMe(client)).toMatchObject({ ok: true });
    expect(await store.get()).toEqual(pair(2));
  });
});

describe('during a refresh', () => {
  it('a logout is not undone', async () => {
    const store = memoryTokenStore(pair(1));
    const { client } = await expired({
      store,
      refresh: async () => {
        await store.clear();
        return { status: 200, body: { ...tokens(2), user } };
      },
    });
    expect(await getMe(client)).toMatchObject({ ok: false, status: 401 });
    expect(await store.get()).toBeNull();
  });

  it('a login of another user is not overwritten', async () => {
    const signedIn: { client?: PlatformClient } = {};
    const { client } = await expired({
      accepts: (token) => token === 'access-7',
      refresh: async () => {
        if (signedIn.client !== undefined) await login(signedIn.client, { body: { email: user.email, password: 'p' } });
        return { status: 200, body: { ...tokens(2), user } };
      },
      handlers: { login: () => ({ status: 200, body: { ...tokens(7), needs_onboarding: false, user } }) },
    });
    signedIn.client = client;
    expect(await getMe(client)).toMatchObject({ ok: true });
    expect(await client.tokens.get()).toEqual(pair(7));
  });

  it('an aborted call ends at once, and others that wait for the refresh continue', async () => {
    const controller = new AbortController();
    const reason = new Error('left the page');
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { client, server } = await expired({
      refresh: async () => {
        controller.abort(reason);
        await answered;
        return { status: 200, body: { ...tokens(2), user } };
      },
    });
    const impatient = getMe(client, { signal: controller.signal });
    const patient = getMe(client);
    await expect(impatient).rejects.toBe(reason);
    answer();
    expect(await patient).toMatchObject({ ok: true });
    expect(server.count('refreshTokens')).toBe(1);
  });
});

describe('a call that replaces the tokens', () => {
  const switched = () => ({ status: 200, body: { ...tokens(3), needs_onboarding: false, user } }) as const;
  const switchTo = (client: PlatformClient) => switchOrganization(client, { body: { org_id: orgId } });

  it('is awaited by a refresh, which then sends nothing', async () => {
    let isSwitching = false;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { client, server } = await expired({
      // The first access token expires after the switch has begun.
      accepts: (token) => token === 'access-3' || !isSwitching,
      refresh: () => problems.refreshTokenReused(),
      handlers: {
        switchOrganization: async () => {
          isSwitching = true;
          await answered;
          return switched();
        },
      },
    });
    const switching = switchTo(client);
    await expect.poll(() => isSwitching).toBe(true);
    const reading = getMe(client);
    await expect.poll(() => server.count('getMe')).toBe(1);
    await nothingMoreIsSent();
    answer();
    expect(await switching).toMatchObject({ ok: true });
    expect(await reading).toMatchObject({ ok: true });
    expect(server.count('refreshTokens')).toBe(0);
    expect(await client.tokens.get()).toEqual(pair(3));
  });

  it('waits for a running refresh, and sends its access token', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isRefreshing = false;
    const { client, server } = await expired({
      accepts: (token) => token === 'access-2' || token === 'access-3',
      refresh: async () => {
        isRefreshing = true;
        await answered;
        return { status: 200, body: { ...tokens(2), user } };
      },
      handlers: { switchOrganization: switched },
    });
    const reading = getMe(client);
    await expect.poll(() => isRefreshing).toBe(true);
    const switching = switchTo(client);
    await nothingMoreIsSent();
    answer();
    expect(await reading).toMatchObject({ ok: true });
    expect(await switching).toMatchObject({ ok: true });
    const operations = server.served.map(({ operationId, status }) => `${operationId} ${status}`);
    expect(operations).toContain('switchOrganization 200');
    expect(operations).not.toContain('switchOrganization 401');
    expect(await client.tokens.get()).toEqual(pair(3));
  });

  it('renews an access token that has expired, and is sent again', async () => {
    const { client, server } = await expired({ handlers: { switchOrganization: switched } });
    expect(await switchTo(client)).toMatchObject({ ok: true });
    expect(server.count('refreshTokens')).toBe(1);
    expect(await client.tokens.get()).toEqual(pair(3));
  });

  it('ends at once if it is aborted during the wait', async () => {
    const reason = new Error('left the page');
    const controller = new AbortController();
    const { client } = await expired({ refresh: () => new Promise<never>(() => undefined) });
    const reading = getMe(client, { signal: controller.signal });
    const switching = switchOrganization(client, { body: { org_id: orgId }, signal: controller.signal });
    controller.abort(reason);
    await expect(switching).rejects.toBe(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

/** Gives requests that must not be sent the time to be sent. */
async function nothingMoreIsSent(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
}

const orgId = 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03';

interface Scenario {
  readonly accepts?: (token: string) => boolean;
  readonly refresh?: () => RefreshReply;
  readonly handlers?: Parameters<typeof startPlatform>[0]['handlers'];
  readonly store?: TokenStore;
  readonly fetch?: NonNullable<Parameters<typeof createPlatformClient>[0]['fetch']>;
  readonly onTokens?: (tokens: TokenPair | null) => void;
}

/** A client whose first pair has expired, and a server that gives it the second one. */
async function expired(scenario: Scenario = {}): Promise<{ client: PlatformClient; server: PlatformServer }> {
  const server = await startPlatform({
    accepts: scenario.accepts ?? ((token) => token === 'access-2'),
    handlers: {
      getMe: () => ({ status: 200, body: me }),
      refreshTokens: scenario.refresh ?? (() => ({ status: 200, body: { ...tokens(2), user } })),
      ...scenario.handlers,
    },
  });
  const client = createPlatformClient({
    baseUrl: server.url,
    tokens: scenario.store ?? memoryTokenStore(pair(1)),
    fetch: scenario.fetch,
    onTokens: scenario.onTokens,
    timing: recordedTiming(),
  });
  return { client, server };
}

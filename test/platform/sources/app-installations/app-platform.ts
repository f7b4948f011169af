import { expect } from 'vitest';
import { startAppHost, type AppHost, type Installation } from '../../../support/hosts/app-host.js';
import {
  startTestPlatform,
  type JsonReply,
  type TestPlatform,
  type TestPlatformOptions,
  type TestUser,
} from '../../../support/platform.js';

/** A Platform whose operator has registered an app at a host. */
export interface AppPlatform {
  readonly platform: TestPlatform;
  readonly app: AppHost;
  /** Begins to connect. @returns the state that the host gets */
  begin(user: TestUser, body?: object): Promise<string>;
  /** The second step, with what the host has added to the address. */
  finish(user: TestUser, body: object): Promise<JsonReply>;
  /** Both steps by a user who owns the installation at the host. @returns the integration */
  connect(user: TestUser, installation: Installation): Promise<JsonReply['body']>;
  /** Delivers a webhook of the host. */
  deliver(event: string, body: object, headers?: Readonly<Record<string, string>>): Promise<JsonReply>;
  stop(): Promise<void>;
}

export async function startAppPlatform(options: TestPlatformOptions = {}): Promise<AppPlatform> {
  const app = await startAppHost();
  const environment = { ...app.environment, ...options.environment };
  const platform = await startTestPlatform({ ...options, environment });
  const post = (user: TestUser, path: string, body: object): Promise<JsonReply> =>
    platform.json('POST', `/api/v1/admin/app-installations${path}`, { token: user.accessToken, body });
  const begin: AppPlatform['begin'] = async (user, body = {}) => {
    const reply = await post(user, '', body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return new URL(reply.body.url).searchParams.get('state') ?? '';
  };
  const finish: AppPlatform['finish'] = (user, body) => post(user, '/connect', body);
  return {
    platform,
    app,
    begin,
    finish,
    connect: async (user, installation) => {
      const code = app.codeOf(Object.keys(installation.readers)[0] ?? '');
      const reply = await finish(user, { state: await begin(user), code, installation_id: String(installation.id) });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return reply.body.integration;
    },
    deliver: async (event, body, headers) => {
      const text = JSON.stringify(body);
      const reply = await platform.fetch(`${platform.url}/api/v1/host-events/github`, {
        method: 'POST',
        headers: { ...app.signed(event, text), ...headers },
        body: text,
      });
      return { status: reply.status, body: await reply.json(), headers: reply.headers };
    },
    stop: async () => {
      await Promise.all([platform.stop(), app.stop()]);
    },
  };
}

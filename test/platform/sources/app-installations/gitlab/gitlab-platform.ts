import { expect } from 'vitest';
import { startGitlabAppHost, type GitlabAppHost } from '../../../../support/hosts/gitlab-app-host.js';
import { hostBProject } from '../../../../support/hosts/host-b.js';
import {
  startTestPlatform,
  type JsonReply,
  type TestPlatform,
  type TestPlatformOptions,
  type TestUser,
} from '../../../../support/platform.js';

export const appBaseUrl = 'https://plumbline.test';
export const redirectUri = `${appBaseUrl}/console/app-installation/gitlab`;

/** What the host adds to the redirect address. */
export type Callback = ReturnType<GitlabAppHost['authorize']>;

/** A Platform whose operator has registered an application at GitLab. */
export interface GitlabPlatform {
  readonly platform: TestPlatform;
  readonly app: GitlabAppHost;
  /** Begins to connect. @returns the address at the host */
  begin(user: TestUser, body?: object): Promise<string>;
  /** Begins, and agrees at the host. */
  agreed(user: TestUser, at?: string): Promise<Callback>;
  /** The second step, with what the host has added to the address. */
  finish(user: Pick<TestUser, 'accessToken'>, callback: object): Promise<JsonReply>;
  /** Both steps. @returns the integration */
  connect(user: TestUser, at?: string): Promise<JsonReply['body']>;
  /** The integrations of the organization. */
  list(user: TestUser): Promise<JsonReply['body'][]>;
  test(user: TestUser, id: string): Promise<JsonReply>;
  disconnect(user: TestUser, id: string): Promise<JsonReply>;
  stop(): Promise<void>;
}

export async function startGitlabPlatform(options: TestPlatformOptions = {}): Promise<GitlabPlatform> {
  const app = await startGitlabAppHost();
  const network = { APP_BASE_URL: appBaseUrl };
  const environment = { ...network, ...app.environment, ...options.environment };
  const platform = await startTestPlatform({ ...options, environment });
  app.now = () => platform.clock.now().getTime();
  app.redirectUri = redirectUri;
  app.projects = [hostBProject(1, 'acme/api'), hostBProject(2, 'acme/web')];
  const path = '/api/v1/admin/app-installations';
  const begin: GitlabPlatform['begin'] = async ({ accessToken: token }, body = {}) => {
    const reply = await platform.json('POST', path, { token, body: { provider: 'host_b', ...body } });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return String(reply.body.url);
  };
  const agreed: GitlabPlatform['agreed'] = async (user, at) => app.authorize(await begin(user), at);
  const finish: GitlabPlatform['finish'] = ({ accessToken: token }, callback) =>
    platform.json('POST', `${path}/connect`, { token, body: { provider: 'host_b', ...callback } });
  const integrations = '/api/v1/admin/integrations';
  return {
    ...{ platform, app, begin, agreed, finish },
    connect: async (user, at) => {
      const reply = await finish(user, await agreed(user, at));
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return reply.body.integration;
    },
    list: async ({ accessToken: token }) => (await platform.json('GET', integrations, { token })).body.items,
    test: ({ accessToken: token }, id) => platform.json('POST', `${integrations}/${id}/test`, { token }),
    disconnect: ({ accessToken: token }, id) => platform.json('DELETE', `${integrations}/${id}`, { token }),
    stop: async () => {
      await Promise.all([platform.stop(), app.stop()]);
    },
  };
}

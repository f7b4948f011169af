import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { Clock } from '../../clock.js';
import type { PlatformSettings } from '../../server/settings.js';
import { createGithubApp, type GithubApp } from './github-app.js';
import { appIdentityOf } from './github-client.js';
import { createGitlabApp, type GitlabApp } from './gitlab-app.js';

/** The operator's app at each code host; null: there is none. */
export interface HostApps {
  readonly host_a: GithubApp | null;
  readonly host_b: GitlabApp | null;
}

/** @param appBaseUrl the address of this server for browsers */
export function createHostApps(
  settings: PlatformSettings,
  appBaseUrl: () => string,
  fetch: OutboundFetch,
  clock: Clock,
): HostApps {
  const identity = appIdentityOf(settings);
  const { gitlabApp } = settings;
  return {
    host_a: identity === null ? null : createGithubApp(identity, fetch, clock),
    host_b: gitlabApp === null ? null : createGitlabApp(gitlabApp, appBaseUrl, fetch, clock),
  };
}

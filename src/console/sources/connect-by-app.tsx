import { startAppInstallation, type Schemas } from '@plumbline/sdk/platform';
import { unwrap } from '@plumbline/sdk';
import { useMutation, type UseMutationResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Field, Form } from '../ui/form.js';
import { codeHosts } from './words.js';

type AppHost = Schemas['AppHost'];

/** The code hosts at which this server has an app, as it has written into the page. */
export function appHosts(): readonly AppHost[] {
  const tags = [...document.querySelectorAll<HTMLMetaElement>('meta[name="plumbline-app"]')];
  return (['host_a', 'host_b'] as const).filter((host) => tags.some(({ content }) => content === host));
}

/** Leads to the page of a code host where the app of this server gets access. @param returnTo the page to come back to */
export function useConnectByApp(returnTo: string): UseMutationResult<Schemas['AppInstallationStart'], Error, AppHost> {
  return useMutation({
    mutationFn: async (provider: AppHost) =>
      unwrap(await startAppInstallation(platform, { body: { provider, return_to: returnTo } })),
    onSuccess: leave,
  });
}

export interface ConnectByAppProps {
  /** The page to come back to. */
  readonly returnTo: string;
  /** Whether it is what the page asks for first. */
  readonly isFirst?: boolean;
}

/** Leads to the code hosts that organizations connect by an app of this server. */
export function ConnectByApp({ returnTo, isFirst = false }: ConnectByAppProps): JSX.Element {
  const hosts = appHosts();
  const connect = useConnectByApp(returnTo);
  return (
    <div class="stack">
      <p class="muted">{hosts.map((host) => access[host]).join(' ')} No access token is needed.</p>
      <div class="actions">
        {hosts.map((host, place) => (
          <button
            key={host}
            type="button"
            class={isFirst && place === 0 ? 'primary' : ''}
            aria-disabled={connect.isPending}
            onClick={() => {
              if (!connect.isPending) connect.mutate(host);
            }}
          >
            Connect {codeHosts[host]}
          </button>
        ))}
      </div>
      <Failed mutation={connect} />
      {hosts.includes('host_a') && <ConnectInstalled returnTo={returnTo} />}
    </div>
  );
}

/** What the app can read at each code host. */
const access: Readonly<Record<AppHost, string>> = {
  host_a: 'You choose at GitHub which repositories can be read.',
  host_b: 'At GitLab, this server can read every project that you can read.',
};

/** Connects an installation that an owner at GitHub has made. */
function ConnectInstalled({ returnTo }: Pick<ConnectByAppProps, 'returnTo'>): JSX.Element {
  return (
    <details>
      <summary>The app is installed already</summary>
      <Form
        button="Connect the installation"
        send={({ account = '' }) =>
          startAppInstallation(platform, { body: { return_to: returnTo, account: account.trim() } })
        }
        done={(start) => {
          leave(start);
        }}
      >
        <Field
          name="account"
          label="Organization or user at GitHub"
          maxLength={100}
          hint="The name in its address: acme of github.com/acme."
          required
        />
      </Form>
    </details>
  );
}

function leave({ url }: { readonly url: string }): void {
  location.assign(url);
}

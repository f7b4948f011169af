import { startAppInstallation } from '@plumbline/sdk/platform';
import { unwrap } from '@plumbline/sdk';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Field, Form } from '../ui/form.js';

/** Whether this server has an app at GitHub, as it has written into the page. */
export function hasApp(): boolean {
  return document.querySelector('meta[name="plumbline-app"]') !== null;
}

export interface ConnectByAppProps {
  /** The page to come back to. */
  readonly returnTo: string;
  /** Whether it is what the page asks for first. */
  readonly isFirst?: boolean;
}

/** Leads to GitHub, where the app of this server is installed. */
export function ConnectByApp({ returnTo, isFirst = false }: ConnectByAppProps): JSX.Element {
  const install = useMutation({
    mutationFn: async () => unwrap(await startAppInstallation(platform, { body: { return_to: returnTo } })),
    onSuccess: leave,
  });
  return (
    <div class="stack">
      <p class="muted">You choose at GitHub which repositories can be read. No access token is needed.</p>
      <div class="actions">
        <button
          type="button"
          class={isFirst ? 'primary' : ''}
          aria-disabled={install.isPending}
          onClick={() => {
            if (!install.isPending) install.mutate();
          }}
        >
          Connect GitHub
        </button>
      </div>
      <Failed mutation={install} />
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
    </div>
  );
}

function leave({ url }: { readonly url: string }): void {
  location.assign(url);
}

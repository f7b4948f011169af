import { unwrap } from '@plumbline/sdk';
import { startProviderLogin } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { identityProviders, pageToReturnTo } from './identity-providers.js';

/** A button for each identity provider with which people can log in or register; nothing if there is none. */
export function ProviderButtons(): JSX.Element | null {
  const start = useMutation({
    mutationFn: async (provider: string) =>
      unwrap(await startProviderLogin(platform, { params: { provider }, body: { return_to: pageToReturnTo() } })),
    onSuccess: ({ authorization_url: url }) => {
      location.assign(url);
    },
  });
  const providers = identityProviders();
  if (providers.length === 0) return null;
  return (
    <div class="stack">
      <p class="small muted">Or without a password:</p>
      <div class="actions">
        {providers.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            aria-disabled={start.isPending}
            onClick={() => {
              if (!start.isPending) start.mutate(id);
            }}
          >
            Continue with {name}
          </button>
        ))}
      </div>
      <Failed mutation={start} />
    </div>
  );
}

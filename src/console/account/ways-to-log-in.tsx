import { unwrap } from '@plumbline/sdk';
import {
  disconnectIdentity,
  getMyIdentities,
  startIdentityLink,
  startSsoLink,
  type Schemas,
} from '@plumbline/sdk/platform';
import { useMutation, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { identityProviders, providerName } from '../enter/identity-providers.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { useRemoval } from '../ui/removal.js';
import { View } from '../ui/view.js';

type Identity = Schemas['Identity'];

/** How the account can log in. */
export function useWaysToLogIn(): UseQueryResult<Schemas['IdentityList']> {
  return useQuery({
    queryKey: ['identities'],
    queryFn: async ({ signal }) => unwrap(await getMyIdentities(platform, { signal })),
  });
}

/** The identities that can log in to the account, and those that can be linked. Nothing where there are neither. */
export function WaysToLogIn(): JSX.Element | null {
  const ways = useWaysToLogIn();
  /** Leaves for a provider, which proves an identity to link. */
  const leave = useMutation({
    mutationFn: async (to: { readonly provider: string } | { readonly sso_org_id: string }) => {
      const body = { return_to: '/account' };
      return unwrap(
        'provider' in to
          ? await startIdentityLink(platform, { params: to, body })
          : await startSsoLink(platform, { params: to, body }),
      );
    },
    onSuccess: ({ authorization_url: url }) => {
      location.assign(url);
    },
  });
  const removal = useRemoval<Identity>({
    nameOf: ({ name }) => name,
    button: 'Unlink',
    text: 'It can no longer log in to your account.',
    done: 'is unlinked',
    remove: async ({ id }) => {
      const reply = await disconnectIdentity(platform, { params: { identity_id: id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    refresh: () => queries.invalidateQueries({ queryKey: ['identities'] }),
  });
  const search = useSearchParams()[0];
  const wanted = search.get('link');
  const sso = search.get('sso');
  const linked = ways.data?.items ?? [];
  const others = identityProviders().filter(({ id }) => linked.every(({ provider }) => provider !== id));
  if (linked.length === 0 && others.length === 0 && sso === null) return null;
  return (
    <section class="card">
      <h2>Ways to log in</h2>
      {others.some(({ id }) => id === wanted) && (
        <div class="banner" role="status">
          <p>Link {providerName(wanted ?? '')}, and you can log in with it from now on.</p>
        </div>
      )}
      <View query={ways} what="your ways to log in">
        {({ items, has_password }) => (
          <ul class="rows">
            {has_password && <li>E-mail address and password</li>}
            {items.map((identity) => (
              <li key={identity.id}>
                <span>
                  {identity.name} <span class="muted">{identity.email}</span>
                  {!identity.is_usable && <span class="tag warn">not offered any more</span>}
                  {identity.last_used_at !== null && (
                    <span class="small muted">
                      {' '}
                      used <Moment at={identity.last_used_at} />
                    </span>
                  )}
                </span>
                <button
                  type="button"
                  onClick={() => {
                    removal.ask(identity);
                  }}
                >
                  Unlink {identity.name}
                </button>
              </li>
            ))}
          </ul>
        )}
      </View>
      {removal.parts}
      <Failed mutation={leave} />
      <div class="actions">
        {sso !== null && (
          <button
            type="button"
            class="primary"
            aria-disabled={leave.isPending}
            onClick={() => {
              if (!leave.isPending) leave.mutate({ sso_org_id: sso });
            }}
          >
            Link the SSO of your organization
          </button>
        )}
        {others.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class={id === wanted ? 'primary' : ''}
            aria-disabled={leave.isPending}
            onClick={() => {
              if (!leave.isPending) leave.mutate({ provider: id });
            }}
          >
            Link {name}
          </button>
        ))}
      </div>
    </section>
  );
}

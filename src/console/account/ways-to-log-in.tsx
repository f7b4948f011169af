import { PlumblineError, unwrap } from '@plumbline/sdk';
import { disconnectIdentity, getMyIdentities, startIdentityLink, type Schemas } from '@plumbline/sdk/platform';
import { useMutation, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { identityProviders, providerName } from '../enter/identity-providers.js';
import { queries } from '../session/queries.js';
import { logOut, platform } from '../session/session.js';
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
  const [isLoginOld, setLoginOld] = useState(false);
  const note = (error: Error): void => {
    setLoginOld(error instanceof PlumblineError && error.problem.type === '/problems/recent-login-required');
  };
  const link = useMutation({
    mutationFn: async (provider: string) =>
      unwrap(await startIdentityLink(platform, { params: { provider }, body: { return_to: '/account' } })),
    onSuccess: ({ authorization_url: url }) => {
      location.assign(url);
    },
    onError: note,
  });
  const removal = useRemoval<Identity>({
    nameOf: ({ name }) => name,
    button: 'Unlink',
    text: 'It can no longer log in to your account.',
    done: 'is unlinked',
    remove: async ({ id }) => {
      const reply = await disconnectIdentity(platform, { params: { identity_id: id } });
      if (!reply.ok && reply.status !== 404) note(new PlumblineError(reply)); // gone already is as good
      if (reply.status !== 404) unwrap(reply);
    },
    refresh: () => queries.invalidateQueries({ queryKey: ['identities'] }),
  });
  const wanted = useSearchParams()[0].get('link');
  const linked = ways.data?.items ?? [];
  const others = identityProviders().filter(({ id }) => linked.every(({ provider }) => provider !== id));
  if (linked.length === 0 && others.length === 0) return null;
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
                    setLoginOld(false);
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
      <Failed mutation={link} />
      {isLoginOld && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => void logOut()}>
            Log in again
          </button>
        </div>
      )}
      <div class="actions">
        {others.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class={id === wanted ? 'primary' : ''}
            aria-disabled={link.isPending}
            onClick={() => {
              setLoginOld(false);
              if (!link.isPending) link.mutate(id);
            }}
          >
            Link {name}
          </button>
        ))}
      </div>
    </section>
  );
}

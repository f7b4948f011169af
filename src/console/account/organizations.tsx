import { unwrap } from '@plumbline/sdk';
import { listMyOrganizations, switchOrganization } from '@plumbline/sdk/platform';
import { useMutation, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { MyInvitations } from '../session/my-invitations.js';
import { queries, useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { View } from '../ui/view.js';
import { NewOrganization } from './new-organization.js';

/** The organizations of the account. One of them is in use; another one can be. */
export function Organizations(): JSX.Element {
  const me = useMe();
  const [, navigate] = useLocation();
  const entered = (page = '/overview'): void => {
    queries.clear(); // everything is of the other organization now
    navigate(page);
  };
  const organizations = useQuery({
    queryKey: ['organizations'],
    queryFn: async ({ signal }) => unwrap(await listMyOrganizations(platform, { signal, query: { limit: 200 } })),
  });
  const change = useMutation({
    mutationFn: async ({ id }: { readonly id: string; readonly page?: string }) =>
      unwrap(await switchOrganization(platform, { body: { org_id: id } })),
    onSuccess: (_tokens, { page }) => {
      entered(page);
    },
  });
  return (
    <section class="card">
      <h2>Organizations</h2>
      <View
        query={organizations}
        what="your organizations"
        empty={({ items }) =>
          items.length > 0
            ? null
            : {
                title: 'You belong to no organization',
                text: 'Create one, or join one by an invitation.',
                action: (
                  <Link href="/onboarding" class="button primary">
                    Get an organization
                  </Link>
                ),
              }
        }
      >
        {({ items }) => (
          <ul class="rows">
            {items.map(({ id, name, role }) => (
              <li key={id}>
                <span>
                  {name} <span class="tag">{role}</span>
                </span>
                {id === me.data?.org_id ? (
                  <span class="tag good">✓ in use</span>
                ) : (
                  <button
                    type="button"
                    aria-disabled={change.isPending}
                    onClick={() => {
                      change.mutate({ id });
                    }}
                  >
                    Switch to {name}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </View>
      <Failed mutation={change} />
      {me.data?.is_verified === true && (
        <NewOrganization
          created={(id) => {
            void organizations.refetch();
            change.mutate({ id, page: '/onboarding' }); // it has no data yet
          }}
        />
      )}
      <MyInvitations
        joined={() => {
          entered();
        }}
      />
    </section>
  );
}

import { unwrap } from '@plumbline/sdk';
import { acceptMyInvite, listMyInvites } from '@plumbline/sdk/platform';
import { useMutation, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Failed } from '../ui/failed.js';
import { announce } from '../ui/toasts.js';
import { platform } from './session.js';

/** The invitations to the address of the account, each with a button that accepts it. Nothing, where there are none. */
export function MyInvitations({ joined }: { joined: () => void }): JSX.Element | null {
  const invitations = useQuery({
    queryKey: ['my-invites'],
    queryFn: async ({ signal }) => unwrap(await listMyInvites(platform, { signal, query: { limit: 200 } })),
  });
  const join = useMutation({
    mutationFn: async (id: string) => unwrap(await acceptMyInvite(platform, { params: { invite_id: id } })),
    onSuccess: ({ org_name, role }) => {
      announce(`You have joined ${org_name} as ${role}.`);
      joined();
    },
    onError: () => invitations.refetch(), // it may have ended
  });
  const items = invitations.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <div class="stack">
      <h2>You are invited</h2>
      <ul class="rows" aria-label="Invitations to you">
        {items.map(({ id, org_name, role }) => (
          <li key={id}>
            <span class="break">
              {org_name} <span class="tag">{role}</span>
            </span>
            <button
              type="button"
              class="primary"
              aria-disabled={join.isPending}
              onClick={() => {
                if (!join.isPending) join.mutate(id);
              }}
            >
              Join {org_name}
            </button>
          </li>
        ))}
      </ul>
      <Failed mutation={join} />
    </div>
  );
}

import { unwrap } from '@plumbline/sdk';
import { cancelOrganizationDeletion } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { DeleteDialog } from './delete-dialog.js';
import { HandOverDialog } from './hand-over-dialog.js';
import { useOrganization } from './queries.js';

/** What only owners do: they hand the organization over, and delete it. */
export function Ownership({ orgId, meId }: { orgId: string; meId: string }): JSX.Element {
  const [asked, setAsked] = useState<'hand over' | 'delete' | null>(null);
  const organization = useOrganization(orgId);
  const takeBack = useMutation({
    mutationFn: async () => {
      const reply = await cancelOrganizationDeletion(platform, { params: { org_id: orgId } });
      if (reply.status !== 404) unwrap(reply); // another owner has taken it back
    },
    onSuccess: () => {
      announce('The organization will not be deleted.');
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const close = (): void => {
    setAsked(null);
  };
  return (
    <section class="card">
      <h2>Ownership</h2>
      <Failed mutation={takeBack} />
      <View query={organization} what="the organization">
        {({ name, deletion }) => (
          <>
            {deletion === null ? (
              <p>You can hand the organization over to another member, or delete it with everything in it.</p>
            ) : (
              <p>
                It was marked for deletion on <Moment at={deletion.requested_at} />. On <Moment at={deletion.due_at} />{' '}
                it will be removed. Every owner can take that back until then.
              </p>
            )}
            <div class="actions">
              <button
                type="button"
                onClick={() => {
                  setAsked('hand over');
                }}
              >
                Hand over
              </button>
              {deletion === null ? (
                <button
                  type="button"
                  class="danger"
                  onClick={() => {
                    setAsked('delete');
                  }}
                >
                  Delete the organization
                </button>
              ) : (
                <button
                  type="button"
                  class="primary"
                  aria-disabled={takeBack.isPending}
                  onClick={() => {
                    if (!takeBack.isPending) takeBack.mutate();
                  }}
                >
                  Take the deletion back
                </button>
              )}
            </div>
            {asked === 'delete' && <DeleteDialog orgId={orgId} name={name} onClose={close} />}
            {asked === 'hand over' && <HandOverDialog orgId={orgId} name={name} meId={meId} onClose={close} />}
          </>
        )}
      </View>
    </section>
  );
}

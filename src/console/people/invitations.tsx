import { unwrap } from '@plumbline/sdk';
import { createInvite, listInvites, revokeInvite, type Schemas } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Select } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';
import { grantable, reaches, type Role } from './roles.js';

type Invite = Schemas['Invite'];

const pageSize = 20;

const statuses: Readonly<Record<Invite['status'], { readonly text: string; readonly mark: string }>> = {
  pending: { text: '… pending', mark: '' },
  accepted: { text: '✓ accepted', mark: 'good' },
  revoked: { text: '– revoked', mark: '' },
  expired: { text: '! expired', mark: 'warn' },
};

export interface InvitationsProps {
  readonly orgId: string;
  /** The role of the logged-in user, who cannot grant a higher one. */
  readonly role: Role;
}

/** Invites people by e-mail, and lists the invitations with their outcomes. */
export function Invitations({ orgId, role }: InvitationsProps): JSX.Element {
  return (
    <section class="card">
      <h2>Invitations</h2>
      <InviteForm orgId={orgId} role={role} />
      <InviteList orgId={orgId} role={role} />
    </section>
  );
}

function InviteForm({ orgId, role }: InvitationsProps): JSX.Element {
  const [granted, setGranted] = useState<Role>('member');
  const [round, setRound] = useState(0); // a new form after each invitation
  return (
    <Form
      key={round}
      button="Invite"
      send={({ email = '' }) => createInvite(platform, { params: { org_id: orgId }, body: { email, role: granted } })}
      done={({ email }) => {
        announce(`An invitation is on its way to ${email}.`);
        setRound(round + 1);
        void queries.invalidateQueries({ queryKey: ['invites'] });
      }}
    >
      <div class="columns">
        <Field name="email" label="E-mail address" type="email" autocomplete="off" required />
        <Select name="role" label="Role" options={grantable(role)} value={granted} onChange={setGranted} />
      </div>
    </Form>
  );
}

function InviteList({ orgId, role }: InvitationsProps): JSX.Element {
  const invites = usePaged({
    queryKey: ['invites', orgId],
    pageSize,
    load: async (query, signal) => unwrap(await listInvites(platform, { signal, params: { org_id: orgId }, query })),
  });
  const revoke = useMutation({
    mutationFn: async ({ id }: Invite) => {
      const reply = await revokeInvite(platform, { params: { org_id: orgId, invite_id: id } });
      if (reply.status !== 404) unwrap(reply); // no longer pending: the list shows why
    },
    onSuccess: (_nothing, { email }) => {
      announce(`The invitation of ${email} is revoked.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['invites'] }),
  });
  const sendAgain = useMutation({
    mutationFn: async ({ email, role: granted }: Invite) =>
      unwrap(await createInvite(platform, { params: { org_id: orgId }, body: { email, role: granted } })),
    onSuccess: ({ email }) => {
      announce(`A new invitation is on its way to ${email}. It replaces the one before.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['invites'] }),
  });
  return (
    <>
      <Failed mutation={revoke} />
      <Failed mutation={sendAgain} />
      <View
        query={invites}
        what="the invitations"
        empty={({ pages }) =>
          pages.some(({ items }) => items.length > 0)
            ? null
            : {
                title: 'Nobody has been invited yet',
                text: 'An invitation is sent by e-mail, and is good for 72 hours.',
              }
        }
      >
        {({ pages }) => (
          <>
            <ul class="rows" aria-label="Invitations">
              {pages
                .flatMap(({ items }) => items)
                .map((invite) => (
                  <li key={invite.id}>
                    <div class="stack tight grow">
                      <span class="break">
                        {invite.email} <span class="tag">{invite.role}</span>
                      </span>
                      <span class="small">
                        <span class={`tag ${statuses[invite.status].mark}`}>{statuses[invite.status].text}</span>{' '}
                        <span class="muted">
                          <Fate invite={invite} />
                        </span>
                      </span>
                    </div>
                    {isOpen(invite) && reaches(role, invite.role) && (
                      <button
                        type="button"
                        aria-label={`Send again: the invitation of ${invite.email}`}
                        aria-disabled={sendAgain.isPending}
                        onClick={() => {
                          if (!sendAgain.isPending) sendAgain.mutate(invite);
                        }}
                      >
                        Send again
                      </button>
                    )}
                    {invite.status === 'pending' && reaches(role, invite.role) && (
                      <button
                        type="button"
                        class="danger"
                        aria-label={`Revoke the invitation of ${invite.email}`}
                        aria-disabled={revoke.isPending}
                        onClick={() => {
                          if (!revoke.isPending) revoke.mutate(invite);
                        }}
                      >
                        Revoke
                      </button>
                    )}
                  </li>
                ))}
            </ul>
            <More query={invites}>Show older invitations</More>
          </>
        )}
      </View>
    </>
  );
}

/** Whether an invitation waits to be accepted, or has only expired. */
function isOpen({ status }: Invite): boolean {
  return status === 'pending' || status === 'expired';
}

/** When an invitation was accepted, or until when it is good. */
function Fate({ invite: { status, created_at, expires_at, accepted_at } }: { invite: Invite }): JSX.Element {
  if (accepted_at !== null) return <Moment at={accepted_at} />;
  if (status === 'revoked') {
    return (
      <>
        sent <Moment at={created_at} />
      </>
    );
  }
  return (
    <>
      {status === 'pending' ? 'good until' : 'since'} <Moment at={expires_at} />
    </>
  );
}

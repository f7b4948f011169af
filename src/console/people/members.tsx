import { unwrap } from '@plumbline/sdk';
import { changeMemberRole, removeMember, resetMemberMfa } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { queries, useMay } from '../session/queries.js';
import { platform, renewBeforeNextRequest } from '../session/session.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { useRemoval } from '../ui/removal.js';
import { RowButton } from '../ui/row-button.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { EndDialog, type Ends } from './end-dialog.js';
import { useMembers, type Member } from './queries.js';
import { grantable, reaches, type Role } from './roles.js';

export interface MembersProps {
  /** The logged-in user and their organization. */
  readonly me: { readonly id: string; readonly role: Role; readonly orgId: string; readonly orgName: string };
}

/** The members. Users with the permission change roles and remove others; every member can leave. */
export function Members({ me }: MembersProps): JSX.Element {
  const mayManage = useMay('members:manage');
  const [, navigate] = useLocation();
  const [ending, setEnding] = useState<Member | null>(null);
  /** One's own role, before it is changed: less rights cannot be given back by oneself. */
  const [changing, setChanging] = useState<Role | null>(null);
  const members = useMembers(me.orgId);
  const change = useMutation({
    mutationFn: async ({ member, role }: { member: Member; role: Role }) =>
      unwrap(
        await changeMemberRole(platform, { params: { org_id: me.orgId, user_id: member.user_id }, body: { role } }),
      ),
    onSuccess: ({ email, role }) => {
      announce(`${email} is ${role} now.`);
    },
    onSettled: () => queries.invalidateQueries(), // one's own role decides what is shown
  });
  const end = useMutation({
    mutationFn: async ({ member, ends }: { member: Member; ends: Ends }) => {
      const reply = await removeMember(platform, {
        params: { org_id: me.orgId, user_id: member.user_id },
        query: { revoke_service_tokens: ends.tokens, deactivate_webhooks: ends.webhooks },
      });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    onSuccess: async (_nothing, { member }) => {
      if (member.user_id === me.id) {
        renewBeforeNextRequest();
        queries.clear();
        navigate('/account');
        announce(`You have left ${me.orgName}.`);
      } else {
        announce(`${nameOf(member)} is removed.`);
        await queries.invalidateQueries(); // invitations and service tokens may have ended, too
      }
    },
  });
  const reset = useRemoval<Member>({
    nameOf: (member) => `${nameOf(member)}'s second factor`,
    button: 'Reset',
    text: 'For somebody who has lost it: log-ins then need the password alone. All sessions of the account end, and its holder gets a mail.',
    done: 'is removed',
    remove: async (member) => {
      unwrap(await resetMemberMfa(platform, { params: { org_id: me.orgId, user_id: member.user_id } }));
    },
    refresh: () => queries.invalidateQueries({ queryKey: ['members'] }),
  });
  return (
    <section class="card">
      <h2>Members</h2>
      {reset.parts}
      <Failed mutation={change} />
      <Failed mutation={end} />
      <View query={members} what="the members">
        {(items) => (
          <ul class="rows" aria-label="Members">
            {items.map((member) => {
              const isMe = member.user_id === me.id;
              const canManage = mayManage && reaches(me.role, member.role);
              return (
                <li key={member.user_id}>
                  <div class="stack tight grow">
                    <span class="break">
                      <strong>{nameOf(member)}</strong> {isMe && <span class="tag good">✓ you</span>}
                    </span>
                    <span class="small muted break">
                      {member.full_name !== null && <>{member.email} · </>}joined <Moment at={member.joined_at} />
                    </span>
                  </div>
                  <div class="actions">
                    {canManage ? (
                      <RoleChoice
                        member={member}
                        mine={me.role}
                        isBusy={change.isPending}
                        onChange={(role) => {
                          if (isMe) setChanging(role);
                          else change.mutate({ member, role });
                        }}
                      />
                    ) : (
                      <span class="tag">{member.role}</span>
                    )}
                    {member.mfa_resettable && (
                      <RowButton
                        label="Reset second factor"
                        of={`of ${nameOf(member)}`}
                        onClick={() => {
                          reset.ask(member);
                        }}
                      />
                    )}
                    {(isMe || canManage) && (
                      <button
                        type="button"
                        class="danger"
                        aria-label={isMe ? `Leave ${me.orgName}` : `Remove ${nameOf(member)}`}
                        onClick={() => {
                          end.reset();
                          setEnding(member);
                        }}
                      >
                        {isMe ? 'Leave' : 'Remove'}
                      </button>
                    )}
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      </View>
      <Confirm
        title={`Become ${changing ?? ''}?`}
        text="You lose the rights of your role at once. Only an owner can give them back."
        button="Change my role"
        open={changing !== null}
        onClose={() => {
          setChanging(null);
        }}
        onConfirm={() => {
          const member = members.data?.find(({ user_id }) => user_id === me.id);
          if (member !== undefined && changing !== null) change.mutate({ member, role: changing });
        }}
      />
      {ending !== null && (
        <EndDialog
          {...questionFor(ending, me)}
          orgId={me.orgId}
          member={ending}
          readsSso={me.role === 'owner' && ending.user_id !== me.id}
          onClose={() => {
            setEnding(null);
          }}
          onConfirm={(ends) => {
            end.mutate({ member: ending, ends });
          }}
        />
      )}
    </section>
  );
}

interface RoleChoiceProps {
  readonly member: Member;
  /** The role of the logged-in user, who cannot grant a higher one. */
  readonly mine: Role;
  readonly isBusy: boolean;
  readonly onChange: (role: Role) => void;
}

/** The role of a member. It is changed as soon as another one is chosen. */
function RoleChoice({ member, mine, isBusy, onChange }: RoleChoiceProps): JSX.Element {
  const roles = Object.keys(grantable(mine)) as Role[]; // the keys are roles
  return (
    <select
      class="inline"
      aria-label={`Role of ${nameOf(member)}`}
      value={member.role}
      disabled={isBusy}
      onChange={({ currentTarget }) => {
        const role = roles[currentTarget.selectedIndex];
        currentTarget.value = member.role; // it shows what is stored
        if (role !== undefined && role !== member.role) onChange(role);
      }}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  );
}

function questionFor(
  member: Member,
  me: MembersProps['me'],
): { readonly title: string; readonly text: string; readonly button: string } {
  if (member.user_id === me.id) {
    const text =
      'You lose access to its charts at once. Your account stays. To come back you need an invitation. Your pending invitations end.';
    return { title: `Leave ${me.orgName}?`, text, button: 'Leave' };
  }
  const text =
    'They lose access to the organization at once, and their pending invitations end. Their account stays. To come back they need an invitation, also with single sign-on.';
  return { title: `Remove ${nameOf(member)}?`, text, button: 'Remove' };
}

function nameOf({ full_name, email }: Member): string {
  return full_name ?? email;
}

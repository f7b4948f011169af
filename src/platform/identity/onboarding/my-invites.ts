import type { AcceptMyInviteHandler, ListMyInvitesHandler } from '../../../../generated/platform/operations.js';
import { alreadyMember, emailNotVerified, inviteNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { myInviteOf, selectMyInvites } from '../../tenancy/organizations/invites.store.js';
import { replyWithPage } from '../../server/paging.js';
import { joinByInvite } from './join-by-invite.js';

const unverified = emailNotVerified({ message: 'Verify your e-mail address first.' });

export const listMyInvites: ListMyInvitesHandler<PlatformDependencies> = ({ query, principal }, { sql, clock }) =>
  principal.is_verified
    ? replyWithPage(query, {
        select: (position, limit) => selectMyInvites(sql, principal.email, position, limit, clock.now()),
        positionOf: (row) => ({ at: row.created_at, id: row.id }),
        itemOf: myInviteOf,
      })
    : unverified;

/** The verified address of the caller proves what the token of the mail proves otherwise. */
export const acceptMyInvite: AcceptMyInviteHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  if (!principal.is_verified) return unverified;
  const joined = await joinByInvite({ id: params.invite_id }, principal, context, dependencies);
  if (joined.kind === 'refused') return joined.refusal;
  if (joined.kind === 'invalid') return inviteNotFound({ message: 'No such invite to your address is pending.' });
  if (joined.kind === 'already_member') return alreadyMember({ message: 'You already belong to this organization.' });
  return { status: 200, body: joined.membership };
};

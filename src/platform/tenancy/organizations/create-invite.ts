import type { CreateInviteHandler, CreateInviteReply } from '../../../../generated/platform/operations.js';
import { alreadyMember, roleNotGrantable } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalWhileMarked } from '../deletion/deletions.store.js';
import { mailLink } from '../../messages/mail/links.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';
import { newOneTimeToken } from '../../identity/tokens/token-hash.js';
import { endInvite, findOpenInvite, insertInvite, inviteOf } from './invites.store.js';
import { adminRequired } from './member-to-manage.js';
import { actingRole, isMember, lockOrganization } from './members.store.js';

export const createInvite: CreateInviteHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random, secrets, appBaseUrl, mails },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const { email } = body;
  const { token, hash } = newOneTimeToken(random);
  const mail = sealMail(
    {
      kind: 'invite',
      link: mailLink(appBaseUrl(), 'accept-invite', token),
      organizationName: principal.org_name,
      invitedBy: principal.full_name ?? principal.email,
    },
    secrets,
    random,
  );

  const reply = await sql.begin(async (transaction): Promise<CreateInviteReply> => {
    await lockInvolved(transaction, userId, email);
    const actingAs = await actingRole(transaction, principal);
    if (actingAs === null || !reaches(actingAs, 'admin')) return adminRequired(actingAs);
    if (!reaches(actingAs, body.role)) {
      return roleNotGrantable({ message: `You can invite with roles up to your own role, ${actingAs}.` });
    }
    const stale = body.role === 'owner' ? await refusalOfOldSession(transaction, principal, now, 'organization') : null;
    if (stale !== null) return stale;
    if (await isMember(transaction, orgId, email)) {
      return alreadyMember({ message: 'A member already has this address.' });
    }
    await lockOrganization(transaction, orgId);
    const pending = await refusalWhileMarked(transaction, orgId);
    if (pending !== null) return pending;
    const open = await findOpenInvite(transaction, orgId, email);
    if (open !== null) {
      const isPending = open.expires_at > now;
      if (isPending && !reaches(actingAs, open.role)) {
        return roleNotGrantable({ message: `A pending invite as ${open.role} can be replaced only by that role.` });
      }
      await endInvite(transaction, orgId, open.id, now);
      if (isPending) {
        const replaced = { resourceKind: 'INVITE', resourceId: open.id, orgId, userId, note: 'replaced' } as const;
        await recordAudit(transaction, context, now, { action: 'INVITE_REVOKED', ...replaced });
      }
    }
    const invite = { orgId, email, role: body.role, tokenHash: hash, invitedBy: userId };
    const row = await insertInvite(transaction, invite, now);
    await enqueueMail(transaction, mail, email, now);
    await recordAudit(transaction, context, now, {
      action: 'MEMBER_INVITED',
      resourceKind: 'INVITE',
      resourceId: row.id,
      orgId,
      userId,
      note: `as ${body.role}`,
    });
    return { status: 201, body: inviteOf(row) };
  });
  if (reply.status === 201) mails.wake();
  return reply;
};

/**
 * Locks inviter and invitee (if the invitee has an account), so that neither role nor membership changes between the
 * checks and the insert. Locks in the order of ids, to prevent deadlocks.
 */
async function lockInvolved(sql: Sql, userId: string, email: string): Promise<void> {
  await sql`select 1 from users where id = ${userId} or email = ${email} order by id for no key update`;
}

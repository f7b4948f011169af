import type { RequestContext } from '../../../generated/contract.js';
import type { Schemas } from '../../../generated/platform/operations.js';
import { findAccount, lockUser } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { redeemInvite } from '../organizations/invites.store.js';
import { startSession } from '../sessions/token-pair.js';
import { hashToken } from '../tokens/token-hash.js';

export type JoinOutcome =
  | { readonly kind: 'joined'; readonly membership: Schemas['AcceptInviteResponse'] }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'already_member' };

/**
 * Makes the caller a member of the organization that an invite is for, and starts a session there. The invite is bound
 * to an e-mail: for anybody else it is invalid. Of simultaneous calls, one succeeds.
 */
export async function joinByInvite(
  token: string,
  caller: Schemas['AccountPrincipal'],
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<JoinOutcome> {
  const { sql, clock } = dependencies;
  const now = clock.now();
  const { user_id: userId, email } = caller;
  return sql.begin(async (transaction): Promise<JoinOutcome> => {
    await lockUser(transaction, userId);
    const redeemed = await redeemInvite(transaction, hashToken(token), { userId, email }, now);
    if (redeemed.kind !== 'joined') return redeemed;
    const { orgId } = redeemed;
    await recordAudit(transaction, context, now, {
      action: 'MEMBER_JOINED',
      resourceKind: 'MEMBERSHIP',
      resourceId: userId,
      orgId,
      userId,
    });
    const account = await findAccount(transaction, userId, orgId);
    if (account === null || account.org_name === null || account.role === null) return { kind: 'invalid' };
    const tokens = await startSession(transaction, account, context, dependencies);
    return { kind: 'joined', membership: { tokens, org_id: orgId, org_name: account.org_name, role: account.role } };
  });
}

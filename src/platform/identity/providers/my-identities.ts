import type {
  DisconnectIdentityHandler,
  DisconnectIdentityReply,
  GetMyIdentitiesHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import { identityNotFound, lastWayToLogIn } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { lockUser } from '../accounts/accounts.store.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { deleteIdentity, hasPassword, selectIdentities } from './user-identities.store.js';

export const getMyIdentities: GetMyIdentitiesHandler<PlatformDependencies> = async (
  { principal },
  { sql, identityProviders },
) => {
  const identities = await selectIdentities(sql, principal.user_id);
  return {
    status: 200,
    body: {
      has_password: await hasPassword(sql, principal.user_id),
      items: identities.map(({ id, provider, email, linked_at: linkedAt, last_used_at: lastUsedAt }) => ({
        ...{ id, provider: provider as Schemas['ProviderId'], email }, // written by `linkIdentity` alone
        name: identityProviders.get(provider)?.name ?? provider,
        is_usable: identityProviders.has(provider),
        linked_at: linkedAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    },
  };
};

export const disconnectIdentity: DisconnectIdentityHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const { sql, clock, mails, identityProviders } = dependencies;
  const { user_id: userId, email } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<DisconnectIdentityReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    const identities = await selectIdentities(transaction, userId);
    const identity = identities.find(({ id }) => id === params.identity_id);
    if (identity === undefined) return identityNotFound({ message: 'Your account has no such identity.' });
    const others = identities.filter(({ id, provider }) => id !== identity.id && identityProviders.has(provider));
    // A passkey is lost with its device, and single sign-on belongs to an organization, so they do not count.
    if (others.length === 0 && !(await hasPassword(transaction, userId))) {
      const message = 'This is the last way to log in, except for passkeys and single sign-on. Set a password first.';
      return lastWayToLogIn({ message });
    }
    await deleteIdentity(transaction, identity.id);
    await recordAccountEvent(transaction, context, now, {
      ...{ action: 'IDENTITY_UNLINKED', resourceKind: 'USER', resourceId: userId, userId, note: identity.provider },
    });
    const provider = identityProviders.get(identity.provider)?.name ?? identity.provider;
    const event = { kind: 'identity_unlinked', provider, email: identity.email } as const;
    await mailAboutSecurity(transaction, { id: userId, email }, event, { context, now }, dependencies);
    return { status: 204 };
  });
  mails.wake();
  return reply;
};

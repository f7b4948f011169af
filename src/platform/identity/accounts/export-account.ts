import type { ExportAccountHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { proveCaller } from '../mfa/caller-proof.js';
import { selectMfaState } from '../mfa/mfa-state.js';
import { SessionEnded } from '../sessions/token-pair.js';
import {
  selectExportedAccount,
  selectExportedAuditRecords,
  selectExportedDevices,
  selectExportedIdentities,
  selectExportedInvites,
  selectExportedMemberships,
  selectExportedProvisionedUsers,
  selectExportedServiceTokens,
  selectExportedSessions,
} from './export-account.store.js';

/** The maximum number of audit records in an export, so that a reply is some megabytes at most. */
const mostRecords = 10_000;

/** Returns everything that is stored about the caller, as of one moment. */
export const exportAccount: ExportAccountHandler<PlatformDependencies> = async (
  { body: { current_password: password }, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const { user_id: userId } = principal;
  const now = clock.now();
  const proof = await proveCaller({ principal, context }, password, 'account', dependencies);
  if ('refusal' in proof) return proof.refusal;
  const refusal = await sql.begin(async (transaction) => {
    const refusal = await proof.accept(transaction, now);
    if (refusal !== null) return refusal;
    const record = { action: 'ACCOUNT_EXPORTED', resourceKind: 'USER', resourceId: userId, userId } as const;
    await recordAccountEvent(transaction, context, now, record);
    return null;
  });
  if (refusal !== null) return refusal;
  return sql.begin('isolation level repeatable read read only', async (transaction) => {
    const account = await selectExportedAccount(transaction, userId, now);
    if (account === undefined) throw new SessionEnded(); // deleted by a request at the same time
    const records = await selectExportedAuditRecords(transaction, userId, mostRecords + 1);
    return {
      status: 200,
      body: {
        exported_at: now.toISOString(),
        account,
        memberships: await selectExportedMemberships(transaction, userId),
        sessions: await selectExportedSessions(transaction, userId, now),
        devices: await selectExportedDevices(transaction, userId),
        second_factor: await selectMfaState(transaction, userId),
        identities: await selectExportedIdentities(transaction, userId),
        invites_received: await selectExportedInvites(transaction, { email: account.email }),
        invites_sent: await selectExportedInvites(transaction, { inviterId: userId }),
        provisioned_users: await selectExportedProvisionedUsers(transaction, userId),
        service_tokens: await selectExportedServiceTokens(transaction, userId),
        audit_records: records.slice(0, mostRecords),
        has_more_audit_records: records.length > mostRecords,
      },
    };
  });
};

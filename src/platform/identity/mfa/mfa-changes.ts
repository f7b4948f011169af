import type { Sql } from '../../../database/connection.js';
import type { MfaChange } from '../../messages/mail/security-mail.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { mailAboutSecurity, type SecurityMailParts, type SecurityOrigin } from '../security/security-mails.js';
import type { RequestContext } from '@plumbline/contract/contract-types';

/** The account that a change is about, as principals have it. */
export interface MfaHolder {
  readonly user_id: string;
  readonly email: string;
}

/** Mails the holder of an account about a change of its second factor. */
export async function mailAboutMfa(
  sql: Sql,
  { user_id: id, email }: MfaHolder,
  change: MfaChange,
  origin: SecurityOrigin,
  parts: SecurityMailParts,
): Promise<void> {
  await mailAboutSecurity(sql, { id, email }, { kind: 'mfa_changed', change }, origin, parts);
}

/** Records a change of the second factor by the holder of the account, and mails about it. */
export async function recordMfaChange(
  sql: Sql,
  holder: MfaHolder,
  change: MfaChange,
  { context, now }: { readonly context: RequestContext; readonly now: Date },
  parts: SecurityMailParts,
): Promise<void> {
  const { user_id: userId } = holder;
  const record = { action: 'MFA_CHANGED', resourceKind: 'USER', resourceId: userId, userId, note: change } as const;
  await recordAccountEvent(sql, context, now, record);
  await mailAboutMfa(sql, holder, change, { context, now }, parts);
}

import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { findActiveMember } from '../../tenancy/organizations/members.store.js';
import { mailAboutSecurity, type SecurityMailParts, type SecurityOrigin } from '../security/security-mails.js';
import type { LockedToken } from './service-tokens.store.js';

/**
 * Mails about the new secret of a token, in the transaction of the rotation: the admin who has rotated it, and the member
 * who has created it. The account of either can be taken over, and the secret works until the token ends.
 */
export async function mailAboutRotation(
  sql: Sql,
  { user_id: id, email, org_id: orgId, org_name: organizationName }: Schemas['MemberPrincipal'],
  { name: tokenName, created_by: creatorId }: Pick<LockedToken, 'name' | 'created_by'>,
  origin: SecurityOrigin,
  parts: SecurityMailParts,
): Promise<void> {
  const event = { kind: 'service_token_rotated', organizationName, tokenName } as const;
  await mailAboutSecurity(sql, { id, email }, { ...event, rotatedBy: null }, origin, parts);
  const creator = creatorId === null || creatorId === id ? null : await findActiveMember(sql, orgId, creatorId);
  if (creator === null) return;
  const { user_id: userId, email: address } = creator;
  await mailAboutSecurity(sql, { id: userId, email: address }, { ...event, rotatedBy: email }, origin, parts);
}

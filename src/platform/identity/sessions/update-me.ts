import type { UpdateMeHandler } from '../../../../generated/platform/operations.js';
import { permissionsOf } from '../accounts/permissions.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';

export const updateMe: UpdateMeHandler<PlatformDependencies> = async ({ body, principal, context }, { sql, clock }) => {
  const now = clock.now();
  const fullName = body.full_name === null ? null : body.full_name.trim();
  const { user_id: id, session_id: _sessionId, ...account } = principal;
  await sql.begin(async (transaction) => {
    await transaction`update users set full_name = ${fullName}, updated_at = ${now} where id = ${id}`;
    const record = { action: 'UPDATE', resourceKind: 'USER', resourceId: id, note: 'full_name' } as const;
    await recordAccountEvent(transaction, context, now, { ...record, userId: id });
  });
  const permissions = permissionsOf(principal);
  return { status: 200, body: { id, ...account, full_name: fullName, permissions } };
};

import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { passkeyOf } from './my-passkeys.js';
import { selectPasskeys } from './passkeys.store.js';
import { countRecoveryCodes } from './recovery-codes.js';
import { findTotp } from './totp.store.js';

/** The second factor of an account, as its holder sees it. */
export async function selectMfaState(sql: Sql, userId: string): Promise<Schemas['MfaState']> {
  const totp = await findTotp(sql, userId);
  return {
    totp_enabled_at: totp?.enabled_at?.toISOString() ?? null,
    recovery_codes_left: await countRecoveryCodes(sql, userId),
    passkeys: (await selectPasskeys(sql, userId)).map(passkeyOf),
  };
}

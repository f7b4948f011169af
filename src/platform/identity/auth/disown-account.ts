import type { DisownAccountHandler } from '../../../../generated/platform/operations.js';
import { invalidDisownToken } from '../../../../generated/problems.js';
import { deleteUnverifiedAccount, lockDisownedAccount } from '../accounts/unverified-accounts.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { hashToken } from '../tokens/token-hash.js';

/**
 * Deletes an unverified account on behalf of the holder of its address. If a verification runs concurrently, one of the
 * two succeeds.
 */
export const disownAccount: DisownAccountHandler<PlatformDependencies> = async ({ body, context }, { sql, clock }) => {
  const now = clock.now();
  const deleted = await sql.begin(async (transaction) => {
    const userId = await lockDisownedAccount(transaction, hashToken(body.token));
    if (userId === null) return false;
    await deleteUnverifiedAccount(transaction, userId, 'disowned by the holder of the address', context, now);
    return true;
  });
  if (!deleted) {
    return invalidDisownToken({ message: 'The link is invalid, or the account has been verified or deleted since.' });
  }
  return { status: 200, body: { message: 'The account has been deleted.' } };
};

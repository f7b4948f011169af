import type { TestPlatform, TestUser } from './platform.js';

/** Makes a user a superuser, as an operator does at the command line. */
export async function makeSuperuser(
  { database }: Pick<TestPlatform, 'database'>,
  { userId }: Pick<TestUser, 'userId'>,
): Promise<void> {
  await database.sql`update users set is_superuser = true where id = ${userId}`;
}

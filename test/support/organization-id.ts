import type { SignUpOptions, TestPlatform, TestUser } from './platform.js';

/** Signs up the owner of an organization with a known id, so that settings of the server can name it. */
export async function signUpWithOrganizationId(
  platform: Pick<TestPlatform, 'database' | 'signUp'>,
  orgId: string,
  options?: SignUpOptions,
): Promise<TestUser> {
  await chooseOrganizationId(platform.database.sql, orgId);
  const user = await platform.signUp(options);
  await chooseAnyOrganizationId(platform.database.sql);
  return user;
}

interface Database {
  readonly unsafe: (text: string) => PromiseLike<unknown>;
}

/** Gives new organizations of a database a random id, as usual. */
export async function chooseAnyOrganizationId(sql: Database): Promise<void> {
  await sql.unsafe('alter table organizations alter column id set default gen_random_uuid()');
}

/** Gives the next organization of a database this id. */
export async function chooseOrganizationId(sql: Database, orgId: string): Promise<void> {
  await sql.unsafe(`alter table organizations alter column id set default '${orgId}'`);
}

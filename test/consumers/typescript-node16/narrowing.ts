/** Never run: that this file compiles is the test. Each expected error is one that the compiler must find. */
import { paginate, PlumblineError, unwrap, type ApiClient } from '@plumbline/sdk';
import {
  createPlatformClient,
  getMe,
  isProblem,
  listMembers,
  listMyOrganizations,
  login,
  problemTypes,
  revokeAllSessions,
  roleValues,
  type LoginResult,
  type Problem,
  type ProblemType,
  type Schemas,
} from '@plumbline/sdk/platform';

const client = createPlatformClient({ baseUrl: 'https://plumbline.example.com' });
const body = { email: 'robin@example.com', password: 'seven quiet rivers 7' };

export function byStatus(result: LoginResult): string | number {
  // @ts-expect-error: nothing is known of the data before the result is narrowed
  result.data.toString();
  switch (result.status) {
    case 200:
      // @ts-expect-error: a success has no problem
      result.problem.type;
      // @ts-expect-error: the other answer to a login carries no tokens
      result.data.access_token;
      return 'access_token' in result.data ? result.data.access_token : result.data.status;
    case 401:
      // @ts-expect-error: 401 has one problem, and it is another one
      if (result.problem.type === '/problems/account-locked') return 0;
      return result.problem.type satisfies '/problems/invalid-credentials';
    case 429:
      return result.problem.retry_after_seconds;
    case 422:
      return result.problem.violations[0]?.path ?? '';
    // @ts-expect-error: the contract has no such status here
    case 418:
      return 0;
    default:
      return result.problem.message;
  }
}

export function byType(result: LoginResult): number {
  if (result.ok) return 0;
  switch (result.problem.type) {
    case '/problems/account-locked':
      return result.problem.retry_after_seconds;
    case '/problems/payload-too-large':
      // @ts-expect-error: this problem has no such member
      result.problem.retry_after_seconds;
      return result.problem.max_bytes;
    // @ts-expect-error: a login has no such problem
    case '/problems/last-owner':
      return 0;
    default:
      return result.status;
  }
}

export function caught(error: unknown): string {
  if (!(error instanceof PlumblineError)) return 'something else';
  // @ts-expect-error: a problem is not narrowed before it is known
  error.problem.retry_after_seconds;
  if (!isProblem(error.problem)) return error.problem.type;
  const known: Problem = error.problem;
  return known.type === '/problems/insufficient-role' ? known.required_role : known.message;
}

export async function requests(): Promise<void> {
  // @ts-expect-error: a login needs a body
  await login(client, {});
  // @ts-expect-error: and both of its members
  await login(client, { body: { email: 'robin@example.com' } });
  // @ts-expect-error: this operation takes no tokens from its reply
  await getMe(client, { adoptTokens: false });
  await login(client, { body, adoptTokens: false, timeoutMs: 500, signal: AbortSignal.timeout(900) });
  // @ts-expect-error: a client of another API
  await getMe(client as ApiClient<string> as ApiClient<'compose'>);
  const nothing: undefined = unwrap(await revokeAllSessions(client));
  void nothing;
}

export async function pages(): Promise<Schemas['Member'][]> {
  const members: Schemas['Member'][] = [];
  for await (const member of paginate(listMembers, client, { params: { org_id: 'x' } })) members.push(member);
  for await (const { name } of paginate(listMyOrganizations, client, { query: { limit: 50 } })) void name;
  const limit: number | undefined = members.length > 0 ? members.length : undefined;
  await listMyOrganizations(client, { query: { limit, cursor: undefined } });
  for await (const { name } of paginate(listMyOrganizations, client, { query: { limit } })) void name;
  // @ts-expect-error: this operation has no pages
  paginate(getMe, client, {});
  return members;
}

const role: Schemas['Role'] = roleValues[0];
const first: ProblemType = problemTypes[0];
// @ts-expect-error: a closed set
const none: ProblemType = '/problems/no-such-thing';
void [role, first, none];

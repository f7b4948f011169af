import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { openOptions } from '../engines.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { recordingGraphqlFetch } from '../../support/graphql-recorder.js';
import type { TestPlatform, TestUser } from '../../support/platform.js';

export const responseType = 'application/graphql-response+json';

export interface GraphqlRequest {
  /** null: none. Default: the token of the user. */
  readonly token?: string | null;
  /** The query parameter; null: none. Default: the organization of the user. */
  readonly orgId?: string | null;
  /** Sent as it is when it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface GraphqlReply {
  readonly status: number;
  readonly headers: Headers;
  /** The recorder has checked it against the schema. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  readonly data: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  readonly errors: any;
}

const send = recordingGraphqlFetch();

/** Posts to `/graphql` as a user, through the recorder. */
export async function post(platform: TestPlatform, user: TestUser, request: GraphqlRequest): Promise<GraphqlReply> {
  const { token = user.accessToken, orgId = user.orgId, body, headers = {}, signal } = request;
  const query = orgId === null ? '' : `?org_id=${encodeURIComponent(orgId)}`;
  const reply = await send(`${platform.url}/graphql${query}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const { data, errors } = (await reply.json()) as { data: unknown; errors: unknown };
  return { status: reply.status, headers: reply.headers, data, errors };
}

/** Asks with a text and variables, and gives the data; a reply with errors fails the test. */
export async function ask(
  platform: TestPlatform,
  user: TestUser,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the recorder has checked it
): Promise<any> {
  const reply = await post(platform, user, { body: { query, variables: { orgId: user.orgId, ...variables } } });
  if (reply.errors !== undefined) throw new Error(JSON.stringify(reply.errors));
  return reply.data;
}

/** Puts work units into the store that the platform reads. */
export async function fill(uri: string, orgId: string, units: readonly WorkUnit[]): Promise<void> {
  const store = await openWorkUnitStore(parseAnalyticsUri(uri), {
    ...openOptions,
    now: () => Date.parse('2026-04-01'),
  });
  try {
    await store.ensureSchema();
    await store.apply({ orgId, repoId: 'repo-1', units, removed: [] });
  } finally {
    await store.close();
  }
}

/** A work unit of which only what a test is about needs to be given. */
export function unit(given: Partial<WorkUnit> & { readonly id: string }): WorkUnit {
  const day = given.day ?? '2026-03-02';
  const subcategory = given.subcategory ?? 'quality.testing';
  return {
    workType: 'commit',
    repo: 'example/api',
    team: 'core',
    author: 'robin@example.com',
    theme: 'quality',
    subcategory,
    startedAt: Date.parse(`${day}T08:00:00Z`),
    completedAt: Date.parse(`${day}T10:00:00Z`),
    day,
    churnLoc: 10,
    shares: [{ subcategory, share: 1 }],
    ...given,
  };
}

/** Two units of one day: of one the theme and the lines are not known. */
export const halfKnown: readonly WorkUnit[] = [
  unit({ id: 'known', day: '2026-02-02' }),
  unit({
    id: 'unknown',
    day: '2026-02-02',
    theme: 'unclassified',
    subcategory: 'unclassified.unclassified',
    churnLoc: null,
  }),
];

/** A small organization in which every figure can be checked by hand. */
export const smallOrganization: readonly WorkUnit[] = [
  unit({ id: 'a', day: '2026-03-02' }),
  unit({
    id: 'b',
    day: '2026-03-04',
    workType: 'pull_request',
    team: 'web',
    repo: 'example/web',
    author: 'kim@example.com',
    theme: 'risk',
    subcategory: 'risk.security',
    churnLoc: 30,
    startedAt: Date.parse('2026-03-03T00:00:00Z'),
    completedAt: Date.parse('2026-03-04T06:00:00Z'),
    shares: [
      { subcategory: 'risk.security', share: 0.75 },
      { subcategory: 'quality.bugfix', share: 0.25 },
    ],
  }),
  unit({ id: 'c', day: '2026-03-09', completedAt: null, churnLoc: 4 }),
  unit({ id: 'd', day: '2026-04-01', team: 'unassigned', workType: 'deployment', churnLoc: 0, author: '' }),
];

/**
 * A local host_b: the part of its REST API (version 4) that the sync uses, with its paging headers. Its GraphQL runs the
 * queries against the part of the public schema in host-b-schema.graphql.
 */
import { readFileSync } from 'node:fs';
import type { ExecutionResult } from 'graphql';
import { buildSchema, graphql } from 'graphql';
import type { Host, HostReply, HostRequest } from './server.js';
import { startHost } from './server.js';

type Json = Record<string, unknown>;

/** A note, as the public schema describes it. */
export interface HostBNote {
  readonly id: string;
  readonly system: boolean;
  readonly body: string;
  readonly createdAt: string;
  /** Of a comment on the diff. */
  readonly position: { readonly filePath: string } | null;
  /** Null for a deleted account. */
  readonly author: { readonly username: string } | null;
}

interface MergeRequestDetails {
  /** Newest first. */
  readonly commits: readonly string[];
  /** Author dates by hash. */
  readonly authored?: Readonly<Record<string, string>>;
  readonly size: { readonly additions: number; readonly deletions: number; readonly fileCount: number } | null;
  /** `hidden`: the host does not show them to the token. */
  readonly notes?: readonly HostBNote[] | 'hidden';
  /** Queries that include this request exceed the time limit. */
  readonly isSlow?: boolean;
}

export interface HostBProjectData {
  readonly id: number;
  readonly path: string;
  readonly visibility: 'public' | 'private';
  defaultBranch: string;
  /** Of the default branch, newest first. */
  commits: Json[];
  mergeRequests: Json[];
  /** What the list of merge requests does not show, by number; one without is not compared by the host. */
  details: Record<number, MergeRequestDetails>;
  pipelines: Json[];
  deployments: Json[];
  /** Null: the token may not read them. */
  environments: Json[] | null;
  incidents: Json[];
  /** Of all types, and what happened to them; newest first. */
  issues: Json[];
  events: Json[];
  /** The blame of each file. */
  files: Record<string, readonly { readonly commit: Json; readonly lines: readonly string[] }[]>;
  /** Files whose text can be read. */
  texts: Record<string, string>;
}

export interface HostB extends Host {
  readonly token: string;
  projects: HostBProjectData[];
  /** Entries before the last page of a list that is paginated by offset; a later page is 405. */
  mostOffset: number;
}

export function hostBProject(id: number, path: string, data: Partial<HostBProjectData> = {}): HostBProjectData {
  return {
    id,
    path,
    visibility: 'private',
    defaultBranch: 'main',
    commits: [],
    mergeRequests: [],
    details: {},
    pipelines: [],
    deployments: [],
    environments: [],
    incidents: [],
    issues: [],
    events: [],
    files: {},
    texts: {},
    ...data,
  };
}

/** Starts a host with these projects. */
export async function startHostB(...projects: HostBProjectData[]): Promise<HostB> {
  const token = 'token-of-host-b';
  const host: Host = await startHost((request) => answerHostB(data, request));
  const data: HostB = Object.assign(host, { token, projects, mostOffset: 50_000 });
  return data;
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): HostReply {
  return { status, headers, body: { message: `${status} ${message}` } };
}

/** Its reply, to a request with its token or none. */
export function answerHostB(
  host: Pick<HostB, 'token' | 'projects' | 'mostOffset'>,
  request: HostRequest,
): HostReply | Promise<HostReply> {
  const given = request.headers.authorization;
  if (given !== undefined && given !== `Bearer ${host.token}`) return refusal(401, 'Unauthorized');
  const visible = host.projects.filter((project) => given !== undefined || project.visibility === 'public');
  if (request.path === '/api/graphql') return answerGraphql(visible, request);
  const path = request.path.replace(/^\/api\/v4/, '');
  const list = /^\/(groups|users)\/([^/]+)\/projects$/.exec(path);
  if (list !== null) {
    const owner = decodeURIComponent(list[2] ?? '');
    const owned = visible.filter((project) => project.path.startsWith(`${owner}/`));
    if (owned.length === 0 || (list[1] === 'groups') === owner.startsWith('user')) return refusal(404, 'Not Found');
    return paged(request, owned.map(describe));
  }
  const [, id = '', rest = ''] = /^\/projects\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const project = visible.find((candidate) => candidate.id === Number(id));
  const offset = (Number(request.query.get('page') ?? 1) - 1) * Number(request.query.get('per_page') ?? 20);
  if (offset >= host.mostOffset) {
    const message = `Offset pagination has a maximum allowed offset of ${host.mostOffset} for requests that return objects of type MergeRequest. Remaining records can be retrieved using keyset pagination.`;
    return { status: 405, body: { error: message } };
  }
  if (request.query.has('iids')) return refusal(400, 'iids is invalid');
  return project === undefined ? refusal(404, 'Project Not Found') : answerProject(project, rest, request);
}

function answerProject(project: HostBProjectData, rest: string, request: HostRequest): HostReply {
  if (rest === '') return { status: 200, body: describe(project) };
  const branch = /^\/repository\/branches\/([^/]+)$/.exec(rest)?.[1];
  if (branch === project.defaultBranch) return { status: 200, body: { name: branch, commit: project.commits[0] } };
  if (rest === '/repository/commits') {
    const [base, head = base] = (request.query.get('ref_name') ?? '').split('..');
    const [from, to] = [head, base].map((id) => project.commits.findIndex((commit) => commit['id'] === id));
    if (from === -1 || to === -1) return refusal(404, 'Tree Not Found');
    const listed = project.commits.slice(from, base === head ? undefined : to);
    const withStats = request.query.get('with_stats') === 'true';
    return paged(
      request,
      listed.map((commit) => (withStats ? commit : { ...commit, stats: undefined })),
    );
  }
  if (rest === '/merge_requests') return paged(request, asked(request, project.mergeRequests));
  if (rest === '/pipelines') return paged(request, asked(request, project.pipelines));
  if (rest === '/environments')
    return project.environments === null ? refusal(403, 'Forbidden') : paged(request, project.environments);
  if (rest === '/deployments') return paged(request, asked(request, project.deployments));
  if (rest === '/issues')
    return paged(
      request,
      asked(request, request.query.get('issue_type') === 'incident' ? project.incidents : project.issues),
    );
  if (rest === '/events')
    return paged(request, request.query.get('target_type') === 'issue' ? asked(request, project.events) : []);
  if (rest === '/repository/tree') {
    return paged(
      request,
      Object.keys(project.files).map((path) => ({ id: '0', name: path, type: 'blob', path, mode: '100644' })),
    );
  }
  const [, textPath] = /^\/repository\/files\/([^/]+)$/.exec(rest) ?? [];
  if (textPath !== undefined) return showFile(project, decodeURIComponent(textPath), request);
  const file = /^\/repository\/files\/([^/]+)\/blame$/.exec(rest)?.[1];
  const blame = file === undefined ? undefined : project.files[decodeURIComponent(file)];
  return blame === undefined ? refusal(404, 'Not Found') : { status: 200, body: blame };
}

/** The entries that the query asks for: those with a number, or those before a time. */
function asked({ query }: HostRequest, items: readonly Json[]): readonly Json[] {
  const numbers = query.getAll('iids[]');
  const updatedBefore = Date.parse(query.get('updated_before') ?? '9999-12-31');
  // Events take a day, which is excluded.
  const before = Date.parse(query.get('before') ?? '9999-12-31');
  return items.filter(
    (item) =>
      (numbers.length === 0 || numbers.includes(String(item['iid']))) &&
      !(Date.parse(String(item['updated_at'])) > updatedBefore) &&
      Date.parse(String(item['created_at'])) < before,
  );
}

function showFile(project: HostBProjectData, path: string, request: HostRequest): HostReply {
  const text = project.texts[path];
  if (text === undefined || request.query.get('ref') !== 'main') return refusal(404, 'File Not Found');
  const bytes = Buffer.from(text);
  return {
    status: 200,
    body: {
      file_name: path.slice(path.lastIndexOf('/') + 1),
      file_path: path,
      size: bytes.length,
      encoding: 'base64',
      content: bytes.toString('base64'),
      ref: 'main',
    },
  };
}

const schema = buildSchema(readFileSync(new URL('host-b-schema.graphql', import.meta.url), 'utf8'));

async function answerGraphql(visible: readonly HostBProjectData[], request: HostRequest): Promise<HostReply> {
  const { query, variables } = JSON.parse(request.body) as { readonly query: string; readonly variables: Json };
  const rootValue = {
    project: ({ fullPath }: { readonly fullPath: string }) => {
      const found = visible.find(({ path }) => path === fullPath);
      return found === undefined ? null : graphqlProject(found);
    },
  };
  const body = await graphql({ schema, source: query, rootValue, variableValues: variables });
  return {
    status: 200,
    body: body.errors?.some(({ message }) => message === TIMEOUT) === true ? timedOut(body) : body,
  };
}

const TIMEOUT = 'Timeout on ProjectType.mergeRequests';

/** The host reports a time-out as an error beside data that ends in null. */
function timedOut({ data }: ExecutionResult): Json {
  return { data: data ?? { project: { mergeRequests: null } }, errors: [{ message: TIMEOUT }] };
}

function graphqlProject({ mergeRequests, details }: HostBProjectData) {
  const known = mergeRequests.map((request) => {
    const { commits = [], authored = {}, size = null, notes = [] } = details[Number(request['iid'])] ?? {};
    return {
      iid: String(request['iid']),
      diffStatsSummary: size === null ? null : { ...size, changes: size.additions + size.deletions },
      commits: (slice: Slice) =>
        connection(
          commits.map((sha) => ({ sha, authoredDate: authored[sha] ?? null })),
          slice,
        ),
      notes: (slice: Slice) => {
        if (notes === 'hidden') throw new Error('The resource that you are attempting to access does not exist');
        return connection(notes, slice);
      },
    };
  });
  return {
    mergeRequests: ({ iids, ...slice }: Slice & { readonly iids: readonly string[] }) => {
      if (iids.some((iid) => details[Number(iid)]?.isSlow === true)) throw new Error(TIMEOUT);
      return connection(
        known.filter(({ iid }) => iids.includes(iid)),
        slice,
      );
    },
    mergeRequest: ({ iid }: { readonly iid: string }) => known.find((request) => request.iid === iid) ?? null,
  };
}

interface Slice {
  readonly first: number;
  readonly after?: string | null;
}

function connection(nodes: readonly object[], { first, after }: Slice) {
  const start = Number(after ?? 0);
  return {
    nodes: nodes.slice(start, start + first),
    pageInfo: { hasNextPage: start + first < nodes.length, endCursor: String(start + first) },
  };
}

function describe(project: HostBProjectData): Json {
  return {
    id: project.id,
    path_with_namespace: project.path,
    web_url: `https://host-b.test/${project.path}`,
    http_url_to_repo: `https://host-b.test/${project.path}.git`,
    default_branch: project.commits.length === 0 ? null : project.defaultBranch,
    created_at: '2020-01-01T00:00:00.000Z',
    visibility: project.visibility,
  };
}

function paged(request: HostRequest, items: readonly unknown[]): HostReply {
  const perPage = Number(request.query.get('per_page') ?? 20);
  const page = Number(request.query.get('page') ?? 1);
  const hasNext = page * perPage < items.length;
  return {
    status: 200,
    headers: { 'x-page': String(page), 'x-per-page': String(perPage), 'x-next-page': hasNext ? String(page + 1) : '' },
    body: items.slice((page - 1) * perPage, page * perPage),
  };
}

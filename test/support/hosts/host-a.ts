/**
 * A local host_a. Its REST replies have the types that the real host publishes (host-a-bodies.ts); its GraphQL runs the
 * queries against the part of the public schema in host-a-schema.graphql.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ExecutionResult } from 'graphql';
import { buildSchema, graphql, GraphQLError } from 'graphql';
import type { CommitData, Issue, WorkflowRun } from './host-a-bodies.js';
import {
  blob,
  commit,
  commitWithFiles,
  fullRepository,
  issue,
  minimalRepository,
  organization,
  tree,
  workflowRun,
} from './host-a-bodies.js';
import type { Host, HostReply, HostRequest } from './server.js';
import { startHost } from './server.js';

type Json = Record<string, unknown>;

export interface HostARepositoryData {
  readonly fullName: string;
  readonly cloneUrl?: string;
  defaultBranch: string;
  /** Of the default branch, newest first. */
  commits: CommitData[];
  /** As GraphQL nodes, latest update first. */
  pullRequests: Node[];
  /** As GraphQL nodes with a list of `statuses`, newest first. */
  deployments: Node[];
  /** What differs from a plain run or issue, newest first. */
  runs: Partial<WorkflowRun>[];
  issues: Partial<Issue>[];
  /** As GraphQL nodes, latest update first. */
  issueNodes: Node[];
  /** The blame of each file of the head. */
  files: Record<
    string,
    readonly { readonly startingLine: number; readonly endingLine: number; readonly sha: string }[]
  >;
  /** Files of the head whose text can be read. */
  texts: Record<string, string>;
}

/**
 * A node of a connection. Null: one that the token may not see, so that a reply has both data and an error.
 * `'too heavy'`: one that the host cannot answer within its time limit, alone or among others.
 */
export type Node = Json | null | 'too heavy';

export interface HostA extends Host {
  readonly token: string;
  repositories: HostARepositoryData[];
  /** The largest page that the host answers within its time limit; a larger one is 502. */
  largestPage: number;
  /** Whether it is so old that issues have no sub-issues. */
  hasSubIssues: boolean;
}

/** A repository with nothing in it. */
export function hostARepository(fullName: string, data: Partial<HostARepositoryData> = {}): HostARepositoryData {
  return {
    fullName,
    defaultBranch: 'main',
    commits: [],
    pullRequests: [],
    deployments: [],
    runs: [],
    issues: [],
    issueNodes: [],
    files: {},
    texts: {},
    ...data,
  };
}

/** Starts a host with these repositories. */
export async function startHostA(...repositories: HostARepositoryData[]): Promise<HostA> {
  const token = 'token-of-host-a';
  const host: Host = await startHost(async (request, url) => {
    if (request.headers.authorization !== `token ${token}` && request.headers.authorization !== `bearer ${token}`) {
      return problem(401, 'Bad credentials');
    }
    return answerHostA(data, request, url);
  });
  const data: HostA = Object.assign(host, { token, repositories, largestPage: Infinity, hasSubIssues: true });
  return data;
}

/** What the host answers to a request whose token it accepts. */
export async function answerHostA(
  data: Pick<HostA, 'repositories' | 'largestPage' | 'hasSubIssues'>,
  request: HostRequest,
  url: string,
): Promise<HostReply> {
  const reply = request.path === '/graphql' ? await answerGraphql(data, request) : answerRest(data, request, url);
  return { ...reply, headers: { 'x-ratelimit-remaining': '4999', ...reply.headers } };
}

export function problem(status: number, message: string, headers: Record<string, string> = {}): HostReply {
  return { status, headers, body: { message, documentation_url: 'https://docs.example/rest', status: String(status) } };
}

function answerRest(data: Pick<HostA, 'repositories'>, request: HostRequest, url: string): HostReply {
  const owned = /^\/(?:orgs|users)\/([^/]+)(\/repos)?$/.exec(request.path);
  if (owned?.[1] !== undefined) return answerOwner(data, request, url, owned[1], owned[2] !== undefined);
  const [, fullName = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(request.path) ?? [];
  const repository = data.repositories.find((candidate) => candidate.fullName.toLowerCase() === fullName.toLowerCase());
  if (repository === undefined) return problem(404, 'Not Found');
  if (rest === '') return ok(fullRepository(repository));
  if (rest === '/commits') return listCommits(repository, request, url);
  if (rest.startsWith('/compare/')) return compareCommits(repository, rest.slice('/compare/'.length), request, url);
  if (rest.startsWith('/commits/')) return showCommit(repository, rest.slice('/commits/'.length));
  if (rest === '/issues') return paged(request, url, repository.issues.map(issue));
  if (rest === '/actions/runs') {
    const runs = repository.runs.map((changes) => workflowRun(repository, changes));
    const reply = paged(request, url, runs);
    return { ...reply, body: { total_count: runs.length, workflow_runs: reply.body } };
  }
  if (rest.startsWith('/git/trees/')) {
    return ok(tree(Object.keys(repository.files)));
  }
  if (rest.startsWith('/git/blobs/')) return showBlob(repository, rest.slice('/git/blobs/'.length));
  return problem(404, 'Not Found');
}

function answerOwner(
  data: Pick<HostA, 'repositories'>,
  request: HostRequest,
  url: string,
  owner: string,
  isList: boolean,
): HostReply {
  const owned = data.repositories.filter((repository) => repository.fullName.startsWith(`${owner}/`));
  if (owned.length === 0 || (request.path.startsWith('/orgs/') && owner.startsWith('user')))
    return problem(404, 'Not Found');
  if (!isList) return ok(organization(owner));
  return paged(request, url, owned.map(minimalRepository));
}

function listCommits(repository: HostARepositoryData, request: HostRequest, url: string): HostReply {
  if (repository.commits.length === 0) return problem(409, 'Git Repository is empty.');
  const sha = request.query.get('sha');
  const from = sha === repository.defaultBranch ? 0 : repository.commits.findIndex((commit) => commit.sha === sha);
  if (from < 0) return problem(404, 'Not Found');
  const since = request.query.get('since');
  const commits = repository.commits
    .slice(from)
    .filter((commit) => since === null || Date.parse(commit.date) >= Date.parse(since));
  return paged(request, url, commits.map(commit));
}

/** The commits that the head reaches and the base does not, oldest first. */
function compareCommits(
  repository: HostARepositoryData,
  basehead: string,
  request: HostRequest,
  url: string,
): HostReply {
  const [base = '', head = ''] = basehead.split('...');
  const [old, reached] = [base, head].map((sha) => reachedFrom(repository, sha));
  if (old?.has(base) !== true || reached?.has(head) !== true) return problem(404, 'Not Found');
  const commits = repository.commits.filter(({ sha }) => reached.has(sha) && !old.has(sha)).toReversed();
  const reply = paged(request, url, commits.map(commit));
  return { ...reply, body: { status: 'ahead', total_commits: commits.length, commits: reply.body } };
}

function reachedFrom({ commits }: HostARepositoryData, head: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [head];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    const found = commits.find((candidate) => candidate.sha === sha);
    if (found === undefined || reached.has(sha)) continue;
    reached.add(sha);
    open.push(...(found.parents ?? []));
  }
  return reached;
}

function showCommit(repository: HostARepositoryData, sha: string): HostReply {
  const found = repository.commits.find((candidate) => candidate.sha === sha);
  if (found === undefined) return problem(404, 'Not Found');
  return ok(commitWithFiles(found));
}

function showBlob(repository: HostARepositoryData, oid: string): HostReply {
  const text = Object.values(repository.texts).find((candidate) => oidOf(candidate) === oid);
  if (text === undefined) return problem(404, 'Not Found');
  return ok(blob(oid, Buffer.from(text)));
}

function oidOf(text: string): string {
  const bytes = Buffer.from(text);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function ok(body: unknown): HostReply {
  return { status: 200, body };
}

/** A page of a list with the Link header that leads to the next one. */
export function paged(request: HostRequest, url: string, items: readonly unknown[]): HostReply {
  const perPage = Number(request.query.get('per_page') ?? 30);
  const page = Number(request.query.get('page') ?? 1);
  const next = new URLSearchParams(request.query);
  next.set('page', String(page + 1));
  const hasNext = page * perPage < items.length;
  return {
    status: 200,
    body: items.slice((page - 1) * perPage, page * perPage),
    ...(hasNext ? { headers: { link: `<${url}${request.path}?${next.toString()}>; rel="next"` } } : {}),
  };
}

const schemaText = readFileSync(new URL('host-a-schema.graphql', import.meta.url), 'utf8');
const schema = buildSchema(schemaText);
const oldSchema = buildSchema(schemaText.replace('  parent: Issue\n  subIssuesSummary: SubIssuesSummary!\n', ''));

/** What the host answers if a query takes longer than its time limit. */
export const TOO_SLOW: HostReply = {
  status: 502,
  body: {
    message:
      'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug.',
  },
};
const TOO_HEAVY = 'TOO_HEAVY';

async function answerGraphql(
  data: Pick<HostA, 'repositories' | 'largestPage' | 'hasSubIssues'>,
  request: HostRequest,
): Promise<HostReply> {
  const { query, variables } = JSON.parse(request.body) as { readonly query: string; readonly variables: Json };
  const rootValue = {
    repository: ({ owner, name }: { readonly owner: string; readonly name: string }) => {
      const found = data.repositories.find((repository) => repository.fullName === `${owner}/${name}`);
      return found === undefined ? null : graphqlRepository(found, data.largestPage);
    },
  };
  const result: ExecutionResult = await graphql({
    schema: data.hasSubIssues ? schema : oldSchema,
    source: query,
    rootValue,
    variableValues: variables,
    typeResolver: (value) =>
      typeof value !== 'object' || value === null
        ? 'User'
        : '__typename' in value
          ? String(value.__typename)
          : 'text' in value
            ? 'Blob'
            : 'oid' in value
              ? 'Commit'
              : 'isBot' in value
                ? 'Bot'
                : 'User',
  });
  if (result.data?.['repository'] === null) {
    return {
      status: 200,
      body: {
        data: result.data,
        errors: [{ type: 'NOT_FOUND', path: ['repository'], message: 'Could not resolve to a Repository' }],
      },
    };
  }
  const errors = result.errors?.map(({ message, path, extensions }) => ({
    message: message.replace(/^Cannot query field "(\w+)" on type "(\w+)".*$/, "Field '$1' doesn't exist on type '$2'"),
    path,
    ...extensions,
  }));
  // A refused query has no data.
  if (errors !== undefined && result.data === undefined) return { status: 200, body: { errors } };
  if (errors?.some((error) => 'type' in error && error.type === TOO_HEAVY) === true) return TOO_SLOW;
  return { status: 200, body: { data: result.data, ...(errors === undefined ? {} : { errors }) } };
}

function graphqlRepository(repository: HostARepositoryData, largestPage: number) {
  const list = (nodes: readonly Node[], options: Slice) =>
    connection(options.first > largestPage ? nodes.map(() => 'too heavy' as const) : nodes, options);
  return {
    pullRequests: (options: Slice) => list(repository.pullRequests.map(graphqlRequest), options),
    pullRequest: ({ number }: { readonly number: number }) => {
      const found = repository.pullRequests.find((request) => isShown(request) && request['number'] === number);
      return found === undefined ? null : graphqlRequest(found);
    },
    deployments: (options: Slice) => list(repository.deployments.map(graphqlDeployment), options),
    issues: (options: Slice) => list(repository.issueNodes.map(graphqlIssue), options),
    object: ({ expression }: { readonly expression: string }) => {
      const [, path] = /^HEAD:(.*)$/.exec(expression) ?? [];
      if (path !== undefined) return blobAt(repository, path);
      const head = repository.commits[0];
      return head === undefined
        ? null
        : {
            oid: head.sha,
            blame: ({ path }: { readonly path: string }) => ({
              ranges: (repository.files[path] ?? []).map((range) => blameRange(repository, range)),
            }),
          };
    },
  };
}

function isShown(node: Node): node is Json {
  return node !== null && node !== 'too heavy';
}

/** An issue without sub-issues, unless it says so. */
function graphqlIssue(issue: Node): Node {
  return isShown(issue) ? { subIssuesSummary: { total: 0 }, ...issue } : issue;
}

/** A request whose commits come in pages. */
function graphqlRequest(request: Node): Node {
  if (!isShown(request)) return request;
  const { nodes } = request['commits'] as { readonly nodes: readonly { readonly commit: Json }[] };
  const dated = nodes.map(({ commit }) => ({ commit: { authoredDate: request['createdAt'], ...commit } }));
  return { ...request, commits: (options: Slice) => connection(dated, options) };
}

/** The host lists the statuses of a deployment newest first, and derives its state from the newest. */
function graphqlDeployment(deployment: Node): Node {
  if (!isShown(deployment)) return deployment;
  const statuses = deployment['statuses'];
  if (!Array.isArray(statuses)) return deployment;
  const newestFirst = (statuses as readonly Json[]).toSorted(
    (a, b) => Date.parse(String(b['createdAt'])) - Date.parse(String(a['createdAt'])),
  );
  const [latestStatus = null] = newestFirst;
  const state = latestStatus?.['state'] === 'SUCCESS' ? 'ACTIVE' : (latestStatus?.['state'] ?? 'ABANDONED');
  return { state, ...deployment, latestStatus, statuses: (options: Slice) => connection(newestFirst, options) };
}

/** Where the host cuts the text of a blob. */
const LONGEST_TEXT = 512_000;

function blobAt({ texts }: HostARepositoryData, path: string) {
  const text = texts[path];
  if (text === undefined) return null;
  const byteSize = Buffer.byteLength(text);
  return { oid: oidOf(text), byteSize, isTruncated: byteSize > LONGEST_TEXT, text: text.slice(0, LONGEST_TEXT) };
}

function blameRange(
  repository: HostARepositoryData,
  range: { readonly startingLine: number; readonly endingLine: number; readonly sha: string },
) {
  const commit = repository.commits.find((candidate) => candidate.sha === range.sha);
  return {
    ...range,
    commit: { oid: range.sha, author: { name: 'Ada', email: 'ada@example.com', date: commit?.date ?? null } },
  };
}

interface Slice {
  readonly first: number;
  readonly after?: string | null;
}

function connection(nodes: readonly Node[], { first, after }: Slice) {
  const start = Number(after ?? 0);
  return {
    nodes: () => nodes.slice(start, start + first).map((node) => (isShown(node) ? node : refusalOf(node))),
    pageInfo: { hasNextPage: start + first < nodes.length, endCursor: String(start + first) },
  };
}

function refusalOf(node: null | 'too heavy'): GraphQLError {
  if (node === 'too heavy') return new GraphQLError('It takes too long.', { extensions: { type: TOO_HEAVY } });
  return new GraphQLError('Resource protected by organization SAML enforcement. You must grant your token access.', {
    extensions: { type: 'FORBIDDEN', extensions: { saml_failure: true } },
  });
}

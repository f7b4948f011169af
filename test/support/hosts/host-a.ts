/**
 * A local host_a. Its REST replies are the host's own published examples with this server's data put in, and each is
 * validated against the host's OpenAPI description before it is sent; its GraphQL runs the queries against the part of
 * the public schema in host-a-schema.graphql.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { ExecutionResult } from 'graphql';
import { buildSchema, graphql } from 'graphql';
import type { Host, HostReply, HostRequest } from './server.js';
import { startHost } from './server.js';

type Json = Record<string, unknown>;

export interface HostACommit {
  readonly sha: string;
  readonly message?: string;
  readonly date: string;
  readonly email?: string;
  readonly parents?: readonly string[];
  readonly files?: readonly {
    readonly filename: string;
    readonly additions: number;
    readonly deletions: number;
    readonly previous_filename?: string;
  }[];
}

export interface HostARepositoryData {
  readonly fullName: string;
  readonly cloneUrl?: string;
  /** Newest first. */
  commits: HostACommit[];
  /** As GraphQL nodes, latest update first. */
  pullRequests: Json[];
  deployments: Json[];
  /** Overrides of the published examples, newest first. */
  runs: Json[];
  issues: Json[];
  /** The blame of each file of the head. */
  files: Record<
    string,
    readonly { readonly startingLine: number; readonly endingLine: number; readonly sha: string }[]
  >;
  /** Files of the head whose text can be read. */
  texts: Record<string, string>;
}

export interface HostA extends Host {
  readonly token: string;
  repositories: HostARepositoryData[];
  /** What the server answered against the host's own description: must stay empty. */
  readonly violations: string[];
}

/** A repository with nothing in it. */
export function hostARepository(fullName: string, data: Partial<HostARepositoryData> = {}): HostARepositoryData {
  return {
    fullName,
    commits: [],
    pullRequests: [],
    deployments: [],
    runs: [],
    issues: [],
    files: {},
    texts: {},
    ...data,
  };
}

/** Starts a host with these repositories. */
export async function startHostA(...repositories: HostARepositoryData[]): Promise<HostA> {
  const violations: string[] = [];
  const token = 'token-of-host-a';
  const host: Host = await startHost(async (request, url) => {
    if (request.headers.authorization !== `token ${token}` && request.headers.authorization !== `bearer ${token}`) {
      return problem(401, 'Bad credentials');
    }
    const reply = request.path === '/graphql' ? await answerGraphql(data, request) : answerRest(data, request, url);
    const violation =
      reply.status === 200 && request.path !== '/graphql' ? validate(request.path, reply.body) : undefined;
    if (violation !== undefined) violations.push(violation);
    return { ...reply, headers: { 'x-ratelimit-remaining': '4999', ...reply.headers } };
  });
  const data: HostA = Object.assign(host, { token, repositories, violations });
  return data;
}

export function problem(status: number, message: string, headers: Record<string, string> = {}): HostReply {
  return { status, headers, body: { message, documentation_url: 'https://docs.example/rest', status: String(status) } };
}

const description = createRequire(import.meta.url)('@octokit/openapi/generated/api.github.com.json') as {
  readonly paths: Record<
    string,
    {
      readonly get: {
        readonly responses: {
          readonly 200: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
        };
      };
    }
  >;
  readonly components: { readonly examples: Record<string, { readonly value: unknown }> };
};

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false });
addFormats.default(ajv);
ajv.addSchema({
  $id: 'host-a',
  components: asJsonSchema((description as unknown as { components: object }).components),
});
const validators = new Map<string, ValidateFunction>();

function validate(path: string, body: unknown): string | undefined {
  const template = Object.keys(description.paths)
    .filter((candidate) => new RegExp(`^${candidate.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path))
    .sort((a, b) => b.replace(/\{[^}]+\}/g, '').length - a.replace(/\{[^}]+\}/g, '').length)[0];
  if (template === undefined) return `${path} is not described`;
  let validator = validators.get(template);
  if (validator === undefined) {
    const { schema } = description.paths[template]?.get.responses[200].content['application/json'] ?? {};
    validator = ajv.compile(
      asJsonSchema(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"host-a#/components/'))) as Json,
    );
    validators.set(template, validator);
  }
  return validator(body) ? undefined : `${path}: ${ajv.errorsText(validator.errors)}`;
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has a type of its own, and ajv takes it only beside a `type`. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, asJsonSchema(member)]),
  );
  return nullable === true
    ? { anyOf: [{ type: 'null' }, rest] }
    : { ...rest, ...(nullable === undefined || nullable === false ? {} : { nullable }) };
}

function example(name: string): Json {
  const value = structuredClone(description.components.examples[name]?.value);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== 'object' || first === null) throw new Error(`There is no example ${name}`);
  return first as Json;
}

function answerRest(data: HostA, request: HostRequest, url: string): HostReply {
  const owned = /^\/(?:orgs|users)\/([^/]+)(\/repos)?$/.exec(request.path);
  if (owned?.[1] !== undefined) return answerOwner(data, request, url, owned[1], owned[2] !== undefined);
  const [, fullName = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(request.path) ?? [];
  const repository = data.repositories.find((candidate) => candidate.fullName.toLowerCase() === fullName.toLowerCase());
  if (repository === undefined) return problem(404, 'Not Found');
  if (rest === '') return ok(describe(repository, 'full-repository-default-response'));
  if (rest === '/commits') return listCommits(repository, request, url);
  if (rest.startsWith('/commits/')) return showCommit(repository, rest.slice('/commits/'.length));
  if (rest === '/issues')
    return paged(
      request,
      url,
      repository.issues.map((issue) => ({ ...example('issue-items'), pull_request: undefined, ...issue })),
    );
  if (rest === '/actions/runs') {
    const runs = repository.runs.map((run) => ({
      ...(example('workflow-run-paginated')['workflow_runs'] as Json[])[0],
      ...run,
    }));
    const reply = paged(request, url, runs);
    return { ...reply, body: { total_count: runs.length, workflow_runs: reply.body } };
  }
  if (rest.startsWith('/git/trees/')) {
    const entry = { mode: '100644', type: 'blob', size: 1, sha: '4'.repeat(40), url: 'https://host-a.test/blob' };
    const tree = Object.keys(repository.files).map((path) => ({ ...entry, path }));
    return ok({ ...example('git-tree-default-response'), tree, truncated: false });
  }
  if (rest.startsWith('/git/blobs/')) return showBlob(repository, rest.slice('/git/blobs/'.length));
  return problem(404, 'Not Found');
}

function answerOwner(data: HostA, request: HostRequest, url: string, owner: string, isList: boolean): HostReply {
  const owned = data.repositories.filter((repository) => repository.fullName.startsWith(`${owner}/`));
  if (owned.length === 0 || (request.path.startsWith('/orgs/') && owner.startsWith('user')))
    return problem(404, 'Not Found');
  if (!isList) return ok({ ...example('organization-full'), archived_at: null });
  return paged(
    request,
    url,
    owned.map((repository) => describe(repository, 'minimal-repository-items')),
  );
}

function describe(repository: HostARepositoryData, name: string): Json {
  const [, short = ''] = repository.fullName.split('/');
  return {
    ...example(name),
    id: 1000 + repository.fullName.length,
    name: short,
    full_name: repository.fullName,
    html_url: `https://host-a.test/${repository.fullName}`,
    clone_url: repository.cloneUrl ?? `https://host-a.test/${repository.fullName}.git`,
    default_branch: 'main',
    language: 'TypeScript',
    // The example of a fork's source lacks what its own schema requires; this repository is no fork.
    source: undefined,
    parent: undefined,
    created_at: '2020-01-01T00:00:00Z',
  };
}

function listCommits(repository: HostARepositoryData, request: HostRequest, url: string): HostReply {
  if (repository.commits.length === 0) return problem(409, 'Git Repository is empty.');
  const sha = request.query.get('sha');
  const from = sha === 'main' ? 0 : repository.commits.findIndex((commit) => commit.sha === sha);
  if (from < 0) return problem(404, 'Not Found');
  const since = request.query.get('since');
  const commits = repository.commits
    .slice(from)
    .filter((commit) => since === null || Date.parse(commit.date) >= Date.parse(since));
  return paged(
    request,
    url,
    commits.map((commit) => commitBody(commit, 'commit-items')),
  );
}

function showCommit(repository: HostARepositoryData, sha: string): HostReply {
  const commit = repository.commits.find((candidate) => candidate.sha === sha);
  if (commit === undefined) return problem(404, 'Not Found');
  const [file] = example('commit')['files'] as Json[];
  // The published example lacks what its own schema requires.
  const gaps = { sha: 'f'.repeat(40), contents_url: 'https://host-a.test/contents' };
  return ok({
    ...commitBody(commit, 'commit'),
    files: (commit.files ?? []).map((changed) => ({ ...file, ...gaps, ...changed })),
  });
}

function showBlob(repository: HostARepositoryData, oid: string): HostReply {
  const text = Object.values(repository.texts).find((candidate) => oidOf(candidate) === oid);
  if (text === undefined) return problem(404, 'Not Found');
  const bytes = Buffer.from(text);
  // The host breaks the lines of its base64.
  const content = bytes.toString('base64').replace(/.{60}/g, '$&\n');
  return ok({ ...example('blob'), encoding: 'base64', content, sha: oid, size: bytes.length });
}

function oidOf(text: string): string {
  const bytes = Buffer.from(text);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function commitBody(commit: HostACommit, name: string): Json {
  const base = example(name);
  const person = { name: 'Ada', email: commit.email ?? 'ada@example.com', date: commit.date };
  const inner = {
    ...(base['commit'] as Json),
    message: commit.message ?? 'feat: a change',
    author: person,
    committer: person,
  };
  const parents = (commit.parents ?? []).map((sha) => ({
    sha,
    url: 'https://host-a.test/c',
    html_url: 'https://host-a.test/c',
  }));
  return { ...base, sha: commit.sha, commit: inner, parents };
}

function ok(body: unknown): HostReply {
  return { status: 200, body };
}

/** A page of a list with the Link header that leads to the next one. */
function paged(request: HostRequest, url: string, items: readonly unknown[]): HostReply {
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

const schema = buildSchema(readFileSync(new URL('host-a-schema.graphql', import.meta.url), 'utf8'));

async function answerGraphql(data: HostA, request: HostRequest): Promise<HostReply> {
  const { query, variables } = JSON.parse(request.body) as { readonly query: string; readonly variables: Json };
  const rootValue = {
    repository: ({ owner, name }: { readonly owner: string; readonly name: string }) => {
      const found = data.repositories.find((repository) => repository.fullName === `${owner}/${name}`);
      return found === undefined ? null : graphqlRepository(found);
    },
  };
  const result: ExecutionResult = await graphql({
    schema,
    source: query,
    rootValue,
    variableValues: variables,
    typeResolver: (value) =>
      typeof value !== 'object' || value === null
        ? 'User'
        : 'text' in value
          ? 'Blob'
          : 'oid' in value
            ? 'Commit'
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
  return { status: 200, body: result };
}

function graphqlRepository(repository: HostARepositoryData) {
  return {
    pullRequests: (options: Slice) => connection(repository.pullRequests, options),
    deployments: (options: Slice) => connection(repository.deployments, options),
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
  readonly after: string | null;
}

function connection(nodes: readonly Json[], { first, after }: Slice) {
  const start = Number(after ?? 0);
  return {
    nodes: nodes.slice(start, start + first),
    pageInfo: { hasNextPage: start + first < nodes.length, endCursor: String(start + first) },
  };
}

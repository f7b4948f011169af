/**
 * Bodies of the REST replies of a local host_a. The types are those that GitHub publishes for its API, so the compiler
 * checks that each body is one that the real host could send.
 */
import type { components } from '@octokit/openapi-types';

type Schemas = components['schemas'];
type User = Schemas['simple-user'];
type MinimalRepository = Schemas['minimal-repository'];
export type Commit = Schemas['commit'];
export type Issue = Schemas['issue'];
export type WorkflowRun = Schemas['workflow-run'];

const site = 'https://host-a.test';
const TIME = '2020-01-01T00:00:00Z';

function user(login = 'ada'): User {
  const url = `${site}/api/users/${login}`;
  return {
    login,
    id: 1,
    node_id: 'U_1',
    avatar_url: `${site}/avatars/${login}`,
    gravatar_id: '',
    url,
    html_url: `${site}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    site_admin: false,
  };
}

export function organization(login: string): Schemas['organization-full'] {
  const url = `${site}/api/orgs/${login}`;
  return {
    login,
    id: 1,
    node_id: 'O_1',
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${site}/avatars/${login}`,
    description: null,
    html_url: `${site}/${login}`,
    has_organization_projects: true,
    has_repository_projects: true,
    public_repos: 1,
    public_gists: 0,
    followers: 0,
    following: 0,
    type: 'Organization',
    created_at: TIME,
    updated_at: TIME,
    archived_at: null,
  };
}

export interface RepositoryIdentity {
  readonly fullName: string;
  readonly cloneUrl?: string | undefined;
  readonly defaultBranch: string;
}

/** A repository as lists have it. */
export function minimalRepository({ fullName, defaultBranch }: RepositoryIdentity) {
  const url = `${site}/api/repos/${fullName}`;
  const [owner, name = ''] = fullName.split('/');
  return {
    id: 1000 + fullName.length,
    node_id: 'R_1',
    name,
    full_name: fullName,
    owner: user(owner),
    private: false,
    html_url: `${site}/${fullName}`,
    description: null,
    fork: false,
    default_branch: defaultBranch,
    language: 'TypeScript',
    url,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
    created_at: TIME,
  } satisfies MinimalRepository;
}

/** A repository as its own address has it. */
export function fullRepository(repository: RepositoryIdentity): Schemas['full-repository'] {
  const address = `${site}/${repository.fullName}`;
  return {
    ...minimalRepository(repository),
    clone_url: repository.cloneUrl ?? `${address}.git`,
    git_url: `git://host-a.test/${repository.fullName}.git`,
    ssh_url: `git@host-a.test:${repository.fullName}.git`,
    svn_url: address,
    mirror_url: null,
    homepage: null,
    language: 'TypeScript',
    license: null,
    default_branch: repository.defaultBranch,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    network_count: 0,
    subscribers_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    size: 1,
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    created_at: TIME,
    pushed_at: TIME,
    updated_at: TIME,
  };
}

/** A change that a test makes to a commit: its hash, time and author, its parents and files. */
export interface CommitData {
  readonly sha: string;
  readonly message?: string;
  readonly date: string;
  readonly name?: string;
  readonly email?: string;
  /** Where they differ from the author and the date. */
  readonly committer?: { readonly name: string; readonly email: string; readonly date: string };
  /** The host has no author, or neither an author nor a committer. */
  readonly lacks?: 'author' | 'both';
  readonly parents?: readonly string[];
  readonly files?: readonly FileData[];
}

interface FileData {
  readonly filename: string;
  readonly additions: number;
  readonly deletions: number;
  readonly previous_filename?: string;
}

/** A commit as lists have it, without its files. */
export function commit(data: CommitData): Commit {
  const { sha, message = 'feat: a change', date, name, email, committer, lacks, parents = [] } = data;
  const person = { name: name ?? 'Ada', email: email ?? 'ada@example.com', date };
  const url = `${site}/api/commits/${sha}`;
  return {
    sha,
    node_id: 'C_1',
    url,
    html_url: `${site}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      author: lacks === undefined ? person : null,
      committer: lacks === 'both' ? null : (committer ?? person),
      message,
      comment_count: 0,
      tree: { sha: 'e'.repeat(40), url: `${site}/api/trees/1` },
      url,
    },
    author: lacks === undefined ? user() : null,
    committer: user(),
    parents: parents.map((parent) => ({ sha: parent, url: `${site}/api/commits/${parent}` })),
  };
}

/** A commit as its own address has it. */
export function commitWithFiles(data: CommitData): Commit {
  return { ...commit(data), files: (data.files ?? []).map(changedFile) };
}

function changedFile(data: FileData): Schemas['diff-entry'] {
  return {
    sha: 'f'.repeat(40),
    status: data.previous_filename === undefined ? 'modified' : 'renamed',
    changes: data.additions + data.deletions,
    blob_url: `${site}/blob/${data.filename}`,
    raw_url: `${site}/raw/${data.filename}`,
    contents_url: `${site}/api/contents/${data.filename}`,
    ...data,
  };
}

export function issue(changes: Partial<Issue>): Issue {
  const url = `${site}/api/repos/acme/widgets/issues/1`;
  return {
    id: 1,
    node_id: 'I_1',
    number: 1,
    title: 'Something is wrong',
    state: 'open',
    locked: false,
    user: user(),
    assignee: null,
    milestone: null,
    labels: [],
    comments: 0,
    url,
    repository_url: `${site}/api/repos/acme/widgets`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${site}/acme/widgets/issues/1`,
    created_at: TIME,
    updated_at: TIME,
    closed_at: null,
    ...changes,
  };
}

export function workflowRun(repository: RepositoryIdentity, changes: Partial<WorkflowRun>): WorkflowRun {
  const url = `${site}/api/repos/${repository.fullName}/actions/runs/1`;
  return {
    id: 1,
    name: 'Build',
    display_title: 'Build',
    node_id: 'W_1',
    check_suite_id: 1,
    check_suite_node_id: 'CS_1',
    head_branch: 'main',
    head_sha: 'a'.repeat(40),
    head_commit: null,
    path: '.github/workflows/build.yml@main',
    run_number: 1,
    event: 'push',
    status: 'completed',
    conclusion: 'success',
    workflow_id: 1,
    url,
    html_url: `${site}/${repository.fullName}/actions/runs/1`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${site}/api/check-suites/1`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    workflow_url: `${site}/api/workflows/1`,
    pull_requests: [],
    repository: minimalRepository(repository),
    head_repository: minimalRepository(repository),
    created_at: TIME,
    updated_at: TIME,
    ...changes,
  };
}

export function tree(paths: readonly string[]): Schemas['git-tree'] {
  const entry = { mode: '100644', type: 'blob', size: 1, sha: '4'.repeat(40), url: `${site}/api/blobs/4` };
  return {
    sha: '5'.repeat(40),
    url: `${site}/api/trees/5`,
    tree: paths.map((path) => ({ ...entry, path })),
    truncated: false,
  };
}

export function blob(sha: string, bytes: Buffer): Schemas['blob'] {
  // The host breaks the lines of its base64.
  const content = bytes.toString('base64').replace(/.{60}/g, '$&\n');
  return { sha, node_id: 'B_1', url: `${site}/api/blobs/${sha}`, size: bytes.length, encoding: 'base64', content };
}

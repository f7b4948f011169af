/** `sync blame` from host_a, by GraphQL: authors and commits per line. File contents are not fetched: `line` is null. */
import type { Row } from '../../records.js';
import type { BlameLength } from '../../sinks/sink.js';
import { isOfFile, noteOfSkipped, planBlame } from '../blame-plan.js';
import { isBlamed } from '../blamed-files.js';
import { blamedFiles, type BlamedFiles } from '../limits.js';
import type { Page, Start } from '../provider.js';
import {
  readInstantOrNull,
  readInteger,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import type { HostARepository } from './repository.js';

/** Files per query; the host computes a blame for each. */
const FILES_PER_QUERY = 5;

export async function* blamePages(repository: HostARepository, start: Start): AsyncGenerator<Page> {
  const head = await headOf(repository);
  if (head === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const plan = await planBlame(head, start, () => listFiles(repository, head));
  yield* plan.removed;
  for (let count = plan.count; count < plan.paths.length; count += FILES_PER_QUERY) {
    const batch = plan.paths.slice(count, count + FILES_PER_QUERY);
    const page = await blameFiles(repository, head, batch);
    yield { ...page, position: plan.positionAt(count + batch.length), done: false, expected: plan.paths.length };
  }
  yield plan.last;
}

/** The commit at the tip of the default branch; undefined if the repository is empty. */
async function headOf({ client, owner, repo, defaultBranch }: HostARepository): Promise<string | undefined> {
  const data = await client.graphql(HEAD, { owner, repo, expression: defaultBranch });
  const object = readObjectOrNull(readObject(data['repository'], 'repository')['object'], 'object');
  return object === null ? undefined : readText(object['oid'], 'oid');
}

/** The text files of a commit. */
async function listFiles({ client, owner, repo }: HostARepository, head: string): Promise<BlamedFiles> {
  const tree = await client.rest('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    owner,
    repo,
    tree_sha: head,
    recursive: '1',
  });
  const { tree: entries, truncated } = readObject(tree.data, 'tree');
  const paths = readList(entries, 'tree.tree')
    .map((entry) => readObject(entry, 'entry'))
    .filter((entry) => entry['type'] === 'blob' && entry['mode'] !== '120000')
    .map((entry) => readText(entry['path'], 'path'))
    .filter(isBlamed);
  return blamedFiles(paths, truncated === true);
}

const HEAD = `
  query ($owner: String!, $repo: String!, $expression: String!) {
    repository(owner: $owner, name: $repo) { object(expression: $expression) { oid } }
  }`;

/** The query for a number of files, each under an alias, with its path as a variable. */
function blameQuery(files: number): string {
  const indexes = Array.from({ length: files }, (_, index) => index);
  return `
  query ($owner: String!, $repo: String!, $head: String!, ${indexes.map((index) => `$path${index}: String!`).join(', ')}) {
    repository(owner: $owner, name: $repo) {
      object(expression: $head) {
        ... on Commit {
          ${indexes.map((index) => `file${index}: blame(path: $path${index}) { ...Ranges }`).join('\n          ')}
        }
      }
    }
  }
  fragment Ranges on Blame {
    ranges { startingLine endingLine commit { oid author { name email date } } }
  }`;
}

/** Skips files that the host returns no blame for, also if it fails for them alone. */
async function blameFiles(
  repository: HostARepository,
  head: string,
  paths: readonly string[],
): Promise<Pick<Page, 'records' | 'blameLengths' | 'note'>> {
  const blames = (await blamesOf(repository, head, paths)) ?? (await oneByOne(repository, head, paths));
  const rows: Row<'git_blame'>[] = [];
  const blameLengths: BlameLength[] = [];
  const skipped: string[] = [];
  paths.forEach((path, index) => {
    const blame = blames[index] ?? null;
    if (blame === null) {
      skipped.push(path);
      return;
    }
    const lines = readList(blame['ranges'], 'ranges').flatMap((range) => rangeRows(path, readObject(range, 'range')));
    for (const line of lines) rows.push(line);
    // Ranges are in order and cover the whole file.
    blameLengths.push({ path, lines: lines.at(-1)?.line_no ?? 0 });
  });
  return { records: { git_blame: rows }, blameLengths, ...noteOfSkipped(skipped) };
}

async function oneByOne(
  repository: HostARepository,
  head: string,
  paths: readonly string[],
): Promise<(JsonObject | null)[]> {
  // This fails if the host does not answer at all.
  await headOf(repository);
  const blames: (JsonObject | null)[] = [];
  for (const path of paths) blames.push((await blamesOf(repository, head, [path]))?.[0] ?? null);
  return blames;
}

/** The blames of files in one query; undefined if the host cannot answer it for one of them. */
async function blamesOf(
  { client, owner, repo }: HostARepository,
  head: string,
  paths: readonly string[],
): Promise<(JsonObject | null)[] | undefined> {
  const variables = Object.fromEntries(paths.map((path, index) => [`path${index}`, path]));
  try {
    const data = await client.graphql(blameQuery(paths.length), { owner, repo, head, ...variables });
    const commit = readObject(readObject(data['repository'], 'repository')['object'], 'object');
    return paths.map((_, index) => readObjectOrNull(commit[`file${index}`], 'blame'));
  } catch (error) {
    if (isOfFile(error)) return undefined;
    throw error;
  }
}

function rangeRows(path: string, range: JsonObject): Row<'git_blame'>[] {
  const first = readInteger(range['startingLine'], 'startingLine');
  const last = readInteger(range['endingLine'], 'endingLine');
  const commit = readObject(range['commit'], 'commit');
  const author = readObjectOrNull(commit['author'], 'author');
  const shared = {
    path,
    author_email: readTextOrNull(author?.['email'], 'author.email'),
    author_name: readTextOrNull(author?.['name'], 'author.name'),
    author_when: readInstantOrNull(author?.['date'], 'author.date'),
    commit_hash: readText(commit['oid'], 'oid'),
    line: null,
  };
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({ ...shared, line_no: first + index }));
}

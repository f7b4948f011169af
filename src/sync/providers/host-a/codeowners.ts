/** Reads CODEOWNERS from host_a, by GraphQL: one query for all possible paths. */
import { CODEOWNERS_PATHS, LARGEST_CODEOWNERS } from '../../work-units/teams/codeowners.js';
import { readIntegerOrNull, readObject, readObjectOrNull, readText, readTextOrNull } from '../read.js';
import type { HostARepository } from './repository.js';

/** The text of the first existing file on the default branch, in the order of the paths; null if there is none. */
export async function readCodeowners(repository: HostARepository): Promise<string | null> {
  const { client, owner, repo } = repository;
  const data = await client.graphql(CODEOWNERS, { owner, repo });
  const objects = readObject(data['repository'], 'repository');
  for (const index of CODEOWNERS_PATHS.keys()) {
    const blob = readObjectOrNull(objects[`file${index}`], 'object');
    // A folder of that name has no size.
    const size = readIntegerOrNull(blob?.['byteSize'], 'byteSize') ?? 0;
    if (blob === null || size === 0 || size > LARGEST_CODEOWNERS) continue;
    return blob['isTruncated'] === true
      ? wholeText(repository, readText(blob['oid'], 'oid'))
      : readTextOrNull(blob['text'], 'text');
  }
  return null;
}

const CODEOWNERS = `
  query ($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) {
      ${CODEOWNERS_PATHS.map((path, index) => `file${index}: object(expression: "HEAD:${path}") { ...File }`).join('\n      ')}
    }
  }
  fragment File on Blob { oid byteSize isTruncated text }`;

/** GraphQL truncates large files. */
async function wholeText({ client, owner, repo }: HostARepository, oid: string): Promise<string> {
  const { data } = await client.rest('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { owner, repo, file_sha: oid });
  const content = readText(readObject(data, 'blob')['content'], 'content');
  return readText(Buffer.from(content, 'base64').toString('utf8'), 'content');
}

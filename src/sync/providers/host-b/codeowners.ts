/** Reads CODEOWNERS from host_b: one request per possible path until a file is found. */
import { SyncError } from '../../failures.js';
import { LARGEST_CODEOWNERS } from '../../work-units/teams/codeowners.js';
import { readInteger, readObject, readText } from '../read.js';
import type { HostBProject } from './project.js';

/** The paths that this host searches, in its order (https://gitlab.com/gitlab-org/gitlab/-/work_items/219916). */
const PLACES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

/** The text of the first existing file on the default branch, in the order of the paths; null if there is none. */
export async function readCodeowners(project: HostBProject): Promise<string | null> {
  if (project.defaultBranch === null) return null;
  for (const path of PLACES) {
    const text = await readFile(project, project.defaultBranch, path);
    if (text !== null) return text;
  }
  return null;
}

/** Null for a file that is missing, empty, or larger than the limit. */
async function readFile({ gitlab, id }: HostBProject, branch: string, path: string): Promise<string | null> {
  let found: unknown;
  try {
    found = await gitlab.RepositoryFiles.show(id, path, branch);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return null;
    throw error;
  }
  const file = readObject(found, 'file');
  const size = readInteger(file['size'], 'size');
  if (size === 0 || size > LARGEST_CODEOWNERS) return null;
  return readText(Buffer.from(readText(file['content'], 'content'), 'base64').toString('utf8'), 'content');
}

/** `sync blame` from host_b: one request per file, including the texts of lines. */
import type { Row } from '../../records.js';
import { isOfFile, noteOfSkipped, planBlame } from '../blame-plan.js';
import { isBlamed } from '../blamed-files.js';
import { MOST_BLAMED_FILES, blamedFiles, type BlamedFiles } from '../limits.js';
import type { Page, Start } from '../provider.js';
import { readInstantOrNull, readList, readObject, readText, readTextOrNull } from '../read.js';
import { onePage, readPage } from './client.js';
import { headOf } from './commits.js';
import type { HostBProject } from './project.js';

export async function* blamePages(project: HostBProject, start: Start): AsyncGenerator<Page> {
  if (project.defaultBranch === null) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const head = await headOf(project);
  const plan = await planBlame(head, start, () => listFiles(project, head));
  yield* plan.removed;
  for (let count = plan.count; count < plan.paths.length; count += 1) {
    const path = plan.paths[count] ?? '';
    const rows = await blameOrSkip(project, head, path);
    yield {
      ...(rows === undefined
        ? { records: {}, ...noteOfSkipped([path]) }
        : { records: { git_blame: rows }, blameLengths: [{ path, lines: rows.length }] }),
      position: plan.positionAt(count + 1),
      done: false,
      expected: plan.paths.length,
    };
  }
  yield plan.last;
}

async function listFiles({ gitlab, id }: HostBProject, head: string): Promise<BlamedFiles> {
  const paths: string[] = [];
  // Reads one file beyond the limit, which shows that the list is truncated.
  for (let page: string | null = '1'; page !== null && paths.length <= MOST_BLAMED_FILES;) {
    const options = { ref: head, recursive: true, ...onePage(Number(page)) };
    const { items, next } = readPage(await gitlab.Repositories.allRepositoryTrees(id, options));
    for (const item of items) {
      const entry = readObject(item, 'entry');
      const path = readText(entry['path'], 'path');
      if (entry['type'] === 'blob' && entry['mode'] !== '120000' && isBlamed(path)) paths.push(path);
    }
    page = next;
  }
  return blamedFiles(paths, false);
}

/** Undefined for a file that the host cannot answer, although it answers other requests. */
async function blameOrSkip(project: HostBProject, head: string, path: string): Promise<Row<'git_blame'>[] | undefined> {
  try {
    return await blameFile(project, head, path);
  } catch (error) {
    if (!isOfFile(error)) throw error;
    await headOf(project);
    return undefined;
  }
}

async function blameFile({ gitlab, id }: HostBProject, head: string, path: string): Promise<Row<'git_blame'>[]> {
  const rows: Row<'git_blame'>[] = [];
  for (const value of readList(await gitlab.RepositoryFiles.allFileBlames(id, path, head), 'blame')) {
    const range = readObject(value, 'range');
    const commit = readObject(range['commit'], 'commit');
    const shared = {
      path,
      author_email: readTextOrNull(commit['author_email'], 'author_email'),
      author_name: readTextOrNull(commit['author_name'], 'author_name'),
      author_when: readInstantOrNull(commit['authored_date'], 'authored_date'),
      commit_hash: readText(commit['id'], 'id'),
    };
    for (const line of readList(range['lines'], 'lines')) {
      rows.push({ ...shared, line_no: rows.length + 1, line: readText(line, 'line') });
    }
  }
  return rows;
}

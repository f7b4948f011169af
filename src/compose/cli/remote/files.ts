/** Sends the content of secrets and configs, which a server can read neither from files nor from variables of this machine. */
import { writeProjectFiles, type Schemas } from '@plumbline/sdk/compose';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { mapValues } from '../../model/project/records.js';
import type { LoadedProject } from '../../model/loader/load.js';
import type { Config, Project, Secret } from '../../model/project/project.js';
import { UsageError } from '../failures.js';
import type { Remote } from './connection.js';

type File = Schemas['ProjectFile'];

const SECTIONS = ['secrets', 'configs'] as const;

/** The limits of the contract, checked here for a message that says which file is too much. */
const MOST_FILES = 64;
const MOST_BYTES = 1024 * 1024;

/** The project as it is sent: its secrets and configs from files take content that is sent separately. */
export function withoutFiles(project: Project): Project {
  const named = <Item extends Secret | Config>(
    section: File['section'],
    items: Record<string, Item>,
  ): Record<string, Item> =>
    mapValues(
      items,
      ({ file, ...rest }: Item, name) =>
        // Without `file` it is still of the same kind: `file` is optional in both.
        (file === undefined ? rest : { ...rest, environment: `${section}.${name}` }) as Item,
    );
  return { ...project, secrets: named('secrets', project.secrets), configs: named('configs', project.configs) };
}

/**
 * Reads the content to send.
 *
 * @returns null if nothing in the project takes content
 * @throws UsageError for a file that cannot be read, and beyond the limits
 */
export async function filesOf({
  project,
  contents,
}: Pick<LoadedProject, 'project' | 'contents'>): Promise<File[] | null> {
  const files: File[] = [];
  let bytes = 0;
  let takesContent = false;
  for (const section of SECTIONS) {
    for (const [name, { file, environment }] of Object.entries<Secret | Config>(project[section])) {
      if (file === undefined && environment === undefined) continue;
      takesContent = true;
      const key = `${section}.${name}`;
      const content = file === undefined ? contents.get(key) : await contentOf(key, file);
      if (content === undefined) continue; // the variable is not set, which loading has reported
      const data = Buffer.from(content);
      bytes += data.length;
      if (bytes > MOST_BYTES) throw tooMuch(key, 'more than 1 MiB');
      if (files.length === MOST_FILES) throw tooMuch(key, `more than ${MOST_FILES} files`);
      files.push({ section, name, content: data.toString('base64') });
    }
  }
  return takesContent ? files : null;
}

export async function sendFiles({ client, signal, ask }: Remote, name: string, files: File[]): Promise<void> {
  await ask(writeProjectFiles(client, { params: { name }, body: { files }, signal }));
}

async function contentOf(key: string, file: string): Promise<Buffer> {
  try {
    return await readRegularFile(file, MOST_BYTES);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    if (error.code === 'EFBIG') throw tooMuch(key, 'more than 1 MiB');
    throw new UsageError(`${key}: '${file}' ${error.reason}.`);
  }
}

function tooMuch(key: string, what: string): UsageError {
  return new UsageError(`${key}: the secrets and configs of a project are ${what}, which a server does not take.`);
}

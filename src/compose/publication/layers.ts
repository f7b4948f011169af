/** The files of a project as the layers of an artifact. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { expandTemplate, type Lookup } from '../model/interpolation/template.js';
import { composeFileLayer, envFileLayer } from '../registry/compose-artifact.js';
import type { Content } from '../registry/descriptor.js';
import { referencesIn, renamed, type Reference } from './references.js';

export interface PublishedProject {
  /** Absolute paths, in merge order. */
  readonly files: readonly string[];
  readonly workingDirectory: string;
  readonly lookup: Lookup;
  /** @returns undefined for a file that does not exist */
  readonly read: (file: string) => Promise<string | undefined>;
}

export interface PublishedFiles {
  readonly composeFiles: readonly Content[];
  readonly envFiles: readonly Content[];
  readonly hasIncludes: boolean;
}

/**
 * The compose files, then the files that they extend, then the files of variables. Paths within them are replaced by
 * names that depend on the absolute path, as docker compose does, since all files of an artifact are in one folder.
 */
export async function publishedFiles(project: PublishedProject): Promise<PublishedFiles> {
  const composeFiles: Content[] = [];
  const envFiles = new Map<string, Content>();
  let hasIncludes = false;
  const extended = new Set<string>();
  const waiting = project.files.map((file) => ({ file, directory: project.workingDirectory, isExtended: false }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { file, directory, isExtended } = next;
    const text = (await project.read(file)) ?? '';
    const found = referencesIn(text);
    hasIncludes ||= found.hasIncludes;
    const target = ({ name }: Reference): string => path.resolve(directory, expandTemplate(name, project.lookup));
    const published = renamed(text, found.files, (each) => publishedName(each.kind, target(each)));
    const name = isExtended ? publishedName('extends', file) : path.basename(file);
    composeFiles.push(composeFileLayer(name, Buffer.from(published), isExtended));
    for (const reference of found.files) {
      const other = target(reference);
      if (reference.kind === 'env_file') await addEnvFile(project, envFiles, other);
      else if (!extended.has(other)) {
        extended.add(other);
        waiting.push({ file: other, directory: path.dirname(other), isExtended: true });
      }
    }
  }
  return { composeFiles, envFiles: [...envFiles.values()], hasIncludes };
}

/** A file of variables that is missing is not required: the project has been loaded. */
async function addEnvFile({ read }: PublishedProject, envFiles: Map<string, Content>, file: string): Promise<void> {
  if (envFiles.has(file)) return;
  const text = await read(file);
  if (text !== undefined) envFiles.set(file, envFileLayer(publishedName('env_file', file), Buffer.from(text)));
}

function publishedName(kind: Reference['kind'], file: string): string {
  return `${createHash('sha256').update(file).digest('hex')}.${kind === 'env_file' ? 'env' : 'yaml'}`;
}

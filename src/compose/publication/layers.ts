/** The files of a project as the layers of an artifact. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { templateFailure } from '../model/interpolation/interpolate.js';
import { expandTemplate, TemplateError, type Lookup } from '../model/interpolation/template.js';
import { composeFileLayer, envFileLayer } from '../registry/compose-artifact.js';
import type { Content } from '../registry/descriptor.js';
import { declarationsIn, type Declaration } from './declarations.js';
import { referencesIn, renamed, type Reference } from './references.js';

export interface PublishedProject {
  /** Absolute paths, in merge order. */
  readonly files: readonly string[];
  readonly workingDirectory: string;
  readonly lookup: Lookup;
  /** @returns undefined for a file that does not exist */
  readonly read: (file: string) => Promise<string | undefined>;
}

export interface PublishedFile {
  /** Relative to the folder of the project, or absolute outside of it. */
  readonly name: string;
  readonly content: Content;
}

export interface PublishedComposeFile extends PublishedFile {
  /** To which its relative paths are resolved. */
  readonly directory: string;
  readonly declarations: readonly Declaration[];
}

export interface PublishedFiles {
  readonly composeFiles: readonly PublishedComposeFile[];
  readonly envFiles: readonly PublishedFile[];
  readonly hasIncludes: boolean;
}

/**
 * The compose files, then the files that they extend, then the files of variables. Paths within them are replaced by
 * names that depend on the absolute path, as docker compose does, since all files of an artifact are in one folder.
 */
export async function publishedFiles(project: PublishedProject): Promise<PublishedFiles> {
  const composeFiles: PublishedComposeFile[] = [];
  const envFiles = new Map<string, PublishedFile>();
  let hasIncludes = false;
  const extended = new Set<string>();
  const waiting = project.files.map((file) => ({ file, directory: project.workingDirectory, isExtended: false }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { file, directory, isExtended } = next;
    const text = (await project.read(file)) ?? '';
    const found = referencesIn(text);
    hasIncludes ||= found.hasIncludes;
    const target = (each: Reference): string => path.resolve(directory, nameIn(file, text, each, project.lookup));
    const published = renamed(text, found.files, (each) => publishedName(each.kind, target(each)));
    const name = isExtended ? publishedName('extends', file) : path.basename(file);
    composeFiles.push({
      name: shownName(project, file),
      content: composeFileLayer(name, Buffer.from(published), isExtended),
      directory,
      declarations: declarationsIn(text),
    });
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

/** @throws ComposeFailure of the InterpolationError family, also for a service that is not used */
function nameIn(file: string, text: string, { name, start }: Reference, lookup: Lookup): string {
  try {
    return expandTemplate(name, lookup);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const before = text.slice(0, start).split('\n');
    throw templateFailure(error, name, { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  }
}

/** A file of variables that is missing is not required: the project has been loaded. */
async function addEnvFile(
  project: PublishedProject,
  envFiles: Map<string, PublishedFile>,
  file: string,
): Promise<void> {
  if (envFiles.has(file)) return;
  const text = await project.read(file);
  if (text === undefined) return;
  const content = envFileLayer(publishedName('env_file', file), Buffer.from(text));
  envFiles.set(file, { name: shownName(project, file), content });
}

function shownName({ workingDirectory }: PublishedProject, file: string): string {
  const relative = path.relative(workingDirectory, file);
  return relative.startsWith('..') ? file : relative;
}

function publishedName(kind: Reference['kind'], file: string): string {
  return `${createHash('sha256').update(file).digest('hex')}.${kind === 'env_file' ? 'env' : 'yaml'}`;
}

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ComposeFailure } from '../../../src/compose/model/errors.js';
import { loadProject } from '../../../src/compose/model/loader/load.js';
import type { LoadedProject, LoadOptions } from '../../../src/compose/model/loader/load.js';
import type { Service } from '../../../src/compose/model/project/service.js';

/** Writes files into a new directory called `folder`, which is removed when the test ends. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'compose-model-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, 'folder');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

/** Loads a project from files in a new directory. A text alone is its compose.yaml. */
export async function load(
  files: string | Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {},
): Promise<LoadedProject & { readonly folder: string }> {
  const folder = await folderWith(typeof files === 'string' ? { 'compose.yaml': files } : files);
  const loaded = await loadProject({ environment: {}, workingDirectory: folder, ...options });
  return { ...loaded, folder };
}

/** The failure that loading ends in. */
export async function loadFailure(
  files: string | Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {},
): Promise<ComposeFailure> {
  try {
    await load(files, options);
  } catch (error) {
    if (error instanceof ComposeFailure) return error;
    throw error;
  }
  throw new Error('the project loaded, though a failure was expected');
}

/** The service `web` with the given body, in flow or block YAML; an image is given to it. */
export async function loadWeb(body: string, options: Partial<LoadOptions> = {}): Promise<Service> {
  const { project } = await load(webFile(body), options);
  const web = project.services['web'];
  if (web === undefined) throw new Error('the project has no service web');
  return web;
}

/** A compose file with one service `web`: each line of the body is indented below it. */
export function webFile(body: string): string {
  const lines = body.split('\n').map((line) => `    ${line}`);
  return ['services:', '  web:', '    image: nginx', ...lines, ''].join('\n');
}

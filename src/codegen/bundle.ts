import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { deriveReplies } from './derive-replies.js';
import type { OpenApiDocument } from './openapi-document.js';

const run = promisify(execFile);

/**
 * Bundles a contract and the files it refers to into one document, with `redocly bundle`, and completes its responses.
 *
 * @param path the contract's file, relative to the repository's root
 * @throws Error with redocly's output, when a reference cannot be resolved or a file does not parse; Error when the
 * responses contradict what the pipeline can answer
 */
export async function bundleContract(path: string): Promise<OpenApiDocument> {
  return deriveReplies(await withTemporaryFolder((folder) => bundle(path, folder)));
}

/** Bundles the catalogue of problems, a plain map of schemas, as the components of a separate document. */
export async function bundleProblems(path: string): Promise<OpenApiDocument> {
  const catalogue: unknown = parse(await readFile(path, 'utf8'));
  if (typeof catalogue !== 'object' || catalogue === null) throw new Error(`${path} is not a map of schemas`);
  const references = Object.keys(catalogue).map((name): [string, { $ref: string }] => [
    name,
    { $ref: `${resolve(path)}#/${name}` },
  ]);
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Problems', version: '1' },
    paths: {},
    components: { schemas: Object.fromEntries(references) },
  };
  return withTemporaryFolder(async (folder) => {
    const wrapper = join(folder, 'wrapper.json');
    await writeFile(wrapper, JSON.stringify(document));
    return bundle(wrapper, folder);
  });
}

async function bundle(path: string, folder: string): Promise<OpenApiDocument> {
  const output = join(folder, 'bundled.json');
  await run(process.execPath, ['node_modules/@redocly/cli/bin/cli.js', 'bundle', path, '--output', output], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const document: unknown = JSON.parse(await readFile(output, 'utf8'));
  return document as OpenApiDocument; // redocly lint has checked its structure
}

async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-bundle-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import {
  bundle,
  createConfig,
  getLineColLocation,
  makeDocumentFromString,
  type NormalizedProblem,
} from '@redocly/openapi-core';
import { parse } from 'yaml';
import { deriveReplies } from '../derive/derive-replies.js';
import { keywordPlugin, keywordRule } from '../check/keyword-rules.js';
import type { OpenApiDocument } from './openapi-document.js';

/**
 * Bundles a contract that our pipeline serves, and completes its responses.
 *
 * @param path the contract's file, relative to the repository's root
 * @throws Error as {@link bundleDocument}; Error when the responses contradict what the pipeline can answer
 */
export async function bundleContract(path: string): Promise<OpenApiDocument> {
  return deriveReplies(await bundleDocument(path));
}

/**
 * Bundles an OpenAPI document and the files it refers to into one document, as `redocly bundle` does.
 *
 * @throws Error with the places, when a reference cannot be resolved, a file does not parse or a keyword is refused
 */
export async function bundleDocument(path: string): Promise<OpenApiDocument> {
  return bundled(path, await readFile(path, 'utf8'));
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
  return bundled('problems.json', JSON.stringify(document));
}

/** @param path where the text is; its references are relative to it */
async function bundled(path: string, text: string): Promise<OpenApiDocument> {
  const doc = makeDocumentFromString(text, resolve(path));
  const config = await createConfig({ plugins: [keywordPlugin], preprocessors: { [keywordRule]: 'on' } });
  const { bundle: document, problems } = await bundle({ doc, config });
  if (problems.length > 0) throw new Error([...new Set(problems.map(described))].join('\n'));
  return inOrder(document.parsed as OpenApiDocument); // redocly lint has checked its structure
}

function described({ message, location: [place] }: NormalizedProblem): string {
  if (place === undefined) return message;
  const { source, start } = getLineColLocation(place);
  const line = source.getLines()[start.line - 1] ?? '';
  return `${relative('', source.absoluteRef)}:${start.line}:${start.col} ${message}: ${line.trim()}`;
}

/** Puts the extensions of a document behind its other parts. */
function inOrder(document: OpenApiDocument): OpenApiDocument {
  const isExtension = ([key]: readonly [string, unknown]): boolean => key.startsWith('x-');
  const entries = Object.entries(document);
  const sorted = [...entries.filter((entry) => !isExtension(entry)), ...entries.filter(isExtension)];
  return Object.fromEntries(sorted) as unknown as OpenApiDocument; // The same properties.
}

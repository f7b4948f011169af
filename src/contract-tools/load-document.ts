import { readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { record } from './documents.js';

/** The document, or a file that it refers to, cannot be used. The message names the file and what to do. */
export class DocumentError extends Error {
  override name = 'DocumentError';
}

/** Where the files that a document refers to stand in the loaded document. */
const filesKey = 'x-plumbline-files';

/**
 * Reads an OpenAPI 3.x document, YAML or JSON, with the files that it refers to. Those must be in the folder of the
 * document or below it. Nothing is fetched from a network.
 *
 * @returns one document, in which all references start with `#/`
 * @throws DocumentError
 */
export function loadDocument(path: string): unknown {
  const root = readFile(path);
  const folder = dirname(root.path);
  const version = String(record(root.content)['openapi']);
  if (!/^3\.\d+/.test(version)) {
    throw new DocumentError(`${path} is not an OpenAPI 3 document: its member openapi is ${version}.`);
  }
  const files = new Map([[root.path, 0]]);
  const contents: unknown[] = [root.content];
  // A contract refers to the same few files thousands of times.
  const numbers = new Map<string, number>();
  const numberOf = (from: string, reference: string): number => {
    if (/^[a-z][a-z+.-]*:/i.test(reference)) {
      throw new DocumentError(`${from} refers to ${reference}. Save it below ${folder} and refer to the file.`);
    }
    const place = resolve(dirname(from), decodeURIComponent(reference));
    const number = numbers.get(place) ?? numberOfFile(readFile(place, `${from} refers to `), from, reference);
    numbers.set(place, number);
    return number;
  };
  const numberOfFile = (target: { path: string; content: unknown }, from: string, reference: string): number => {
    if (relative(folder, target.path).split(sep)[0] === '..') {
      throw new DocumentError(`${from} refers to ${reference}, which is outside of ${folder}.`);
    }
    const known = files.get(target.path);
    if (known !== undefined) return known;
    files.set(target.path, contents.length);
    return contents.push(target.content) - 1;
  };
  const rewritten: unknown[] = [];
  // The list grows while files are read.
  for (let index = 0; index < contents.length; index += 1) {
    const path = [...files].find(([, number]) => number === index)?.[0] ?? '';
    rewritten.push(rewrite(contents[index], index, (reference) => numberOf(path, reference)));
  }
  const [document, ...others] = rewritten;
  return { ...record(document), [filesKey]: Object.fromEntries(others.map((file, index) => [index + 1, file])) };
}

/** Points references to other files at the place where those will stand. */
function rewrite(value: unknown, number: number, numberOf: (reference: string) => number): unknown {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, number, numberOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (key === 'example' || key === 'x-problem') return [key, inner];
      if (key !== '$ref' || typeof inner !== 'string') return [key, rewrite(inner, number, numberOf)];
      const [file = '', pointer = ''] = inner.split('#');
      const target = file === '' ? number : numberOf(file);
      return [key, `#${target === 0 ? '' : `/${filesKey}/${target}`}${pointer === '/' ? '' : pointer}`];
    }),
  );
}

function readFile(path: string, before = ''): { path: string; content: unknown } {
  try {
    const real = realpathSync(path);
    const text = readFileSync(real, 'utf8');
    return { path: real, content: real.endsWith('.json') ? JSON.parse(text) : parseYaml(text) };
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new DocumentError(`${before}${path}, which cannot be read: ${reason}`.replace(/^([^ ]+), which/, '$1'));
  }
}

/** YAML 1.2 has no merge keys (`<<`), but contracts use them, and other tools know them. */
function parseYaml(text: string): unknown {
  return parse(text, { merge: true });
}

import { readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { DocumentError, record, resolve as followReferences } from './documents.js';
import { mapObjects } from './members.js';

/** Where the files that a document refers to are in the loaded document. */
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
  const [first, ...others] = rewritten;
  const document = { ...record(first), [filesKey]: Object.fromEntries(others.map((file, index) => [index + 1, file])) };
  for (const [file, number] of files) checkReferences(document, rewritten[number], file);
  return document;
}

/** Refuses references to nothing, which would otherwise be found when the first reply is checked. */
function checkReferences(document: unknown, content: unknown, file: string): void {
  mapObjects(content, (object) => {
    if (typeof object['$ref'] !== 'string') return object;
    try {
      followReferences(document, { $ref: object['$ref'] });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new DocumentError(`${file}: ${message.replace(new RegExp(`#/${filesKey}/\\d+`), '#')}`);
    }
    return object;
  });
}

/** Points references to other files at the place where those will stand. */
function rewrite(content: unknown, number: number, numberOf: (reference: string) => number): unknown {
  return mapObjects(content, (object) => {
    const { $ref: reference } = object;
    if (typeof reference !== 'string') return object;
    const [file = '', pointer = ''] = reference.split('#');
    const target = file === '' ? number : numberOf(file);
    return { ...object, $ref: `#${target === 0 ? '' : `/${filesKey}/${target}`}${pointer === '/' ? '' : pointer}` };
  });
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

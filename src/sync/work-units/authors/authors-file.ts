/**
 * The authors file of `plumbline authors import`:
 *
 *     authors:
 *       - author: ada@example.com              # the value of the dimension AUTHOR
 *         also: [ada@old.example.com, ada, Ada L.] # other e-mails, logins and names of the same person
 */
import { atOnce, type Steps } from '@plumbline/contract/system/slices';
import { FileCheck, readTextFile, yamlSteps } from '../file-check.js';

export interface Author {
  readonly author: string;
  /** In lower case. */
  readonly also: readonly string[];
}

/** Maximum number of people in an organization, and of names of one person. */
const MOST_AUTHORS = 10_000;
const MOST_NAMES = 100;
const LONGEST_NAME = 254;

/**
 * Reads an authors file.
 *
 * @throws FileError with every problem, if the file cannot be read or is invalid
 */
export async function loadAuthors(file: string): Promise<readonly Author[]> {
  return parseAuthors(await readTextFile(file, 'authors file'), file);
}

/** Parses the text of an authors file; `name` is the file's name in messages. Throws like `loadAuthors`. */
export function parseAuthors(text: string, name: string): readonly Author[] {
  return atOnce(authorsFileSteps(text, name));
}

/** The same in small steps. */
export function* authorsFileSteps(text: string, name: string): Steps<readonly Author[]> {
  const { value, lineOf } = yield* yamlSteps(text, name);
  const check = new FileCheck(lineOf);
  const items = check.list(check.mapping(value, 'the file', ['authors'])['authors'], 'authors');
  const authors = yield* authorsSteps(check, items, 'authors');
  check.finish(`${name} is not an authors file`);
  return authors;
}

/**
 * Reads a list of authors in small steps, and reports its problems to `check`.
 *
 * @param list the place of the list in messages
 */
export function* authorsSteps(check: FileCheck, items: readonly unknown[], list: string): Steps<readonly Author[]> {
  if (items.length > MOST_AUTHORS) check.problem(list, `may have at most ${MOST_AUTHORS} items, not ${items.length}`);
  const used = new Set<string>();
  const unused = (text: string, place: string): string => {
    const key = text.toLowerCase();
    if (text !== '' && used.has(key)) check.problem(place, `${JSON.stringify(text)} is used twice`);
    used.add(key);
    if (text.length > LONGEST_NAME) check.problem(place, `must have at most ${LONGEST_NAME} characters`);
    return text;
  };
  const authors: Author[] = [];
  for (const [index, item] of items.slice(0, MOST_AUTHORS).entries()) {
    const place = `${list}[${index}]`;
    const entry = check.mapping(item, place, ['author', 'also']);
    const author = unused(check.text(entry['author'], `${place}.author`), `${place}.author`);
    const names = check.list(entry['also'], `${place}.also`);
    if (names.length === 0 || names.length > MOST_NAMES)
      check.problem(`${place}.also`, `must have 1 to ${MOST_NAMES} items, not ${names.length}`);
    const also = names
      .slice(0, MOST_NAMES)
      .map((each, at) => unused(check.text(each, `${place}.also[${at}]`), `${place}.also[${at}]`).toLowerCase());
    authors.push({ author: author.includes('@') ? author.toLowerCase() : author, also });
    yield;
  }
  return authors;
}

/** The stored form of the authors. */
export function authorsAsText(authors: readonly Author[]): string {
  return JSON.stringify(authors);
}

/** Parses the text of `authorsAsText`; any other text gives no authors. */
export function authorsFromText(text: string | undefined): readonly Author[] {
  if (text === undefined) return [];
  const parsed: unknown = JSON.parse(text);
  // Only `authorsAsText` writes this text.
  return Array.isArray(parsed) ? (parsed as Author[]) : [];
}

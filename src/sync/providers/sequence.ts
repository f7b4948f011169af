/** Reads several lists of a host in sequence, for a target whose records are in more than one list. */
import type { JsonValue } from '../records.js';
import type { Page, Start } from './provider.js';

/** Where the reading of a list stopped. */
interface Mark {
  readonly position: JsonValue;
  readonly done: boolean;
}

/** The pages of all lists, in order. Each list begins and ends where it would alone, also after an interruption. */
export async function* pagesOfAll(
  lists: readonly ((start: Start) => AsyncIterable<Page>)[],
  start: Start,
): AsyncGenerator<Page> {
  const marks = marksOf(start);
  const notes: string[] = [];
  let isCut = false;
  for (const [number, list] of lists.entries()) {
    for await (const page of list(marks[number])) {
      marks[number] = { position: page.position, done: page.done };
      if (page.note !== undefined) notes.push(page.note);
      const done = page.done && number === lists.length - 1;
      isCut ||= page.isCut === true;
      const { note: _note, ...rest } = page;
      const position = { marks: marks.map((mark) => (mark === undefined ? null : { ...mark })) };
      yield { ...rest, position, done, isCut, ...(done && notes.length > 0 ? { note: notes.join('; ') } : {}) };
    }
  }
}

function marksOf(start: Start): (Mark | undefined)[] {
  const value = start?.position ?? null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { marks } = value as Record<string, JsonValue | undefined>;
  return (Array.isArray(marks) ? marks : []).map(markOf);
}

function markOf(value: JsonValue): Mark | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { position, done } = value as Record<string, JsonValue | undefined>;
  return typeof done === 'boolean' ? { position: position ?? null, done } : undefined;
}

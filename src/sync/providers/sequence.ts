/** Reads several lists of a host in sequence, for a target whose records are in more than one list. */
import type { JsonValue } from '../records.js';
import type { Page, Start } from './provider.js';

/** Where the reading of a list stopped. */
interface Mark {
  readonly position: JsonValue;
  readonly done: boolean;
}

/** The pages of all lists, in order. Each list resumes and ends where it would alone. */
export async function* pagesOfAll(
  lists: readonly ((start: Start) => AsyncIterable<Page>)[],
  start: Start,
): AsyncGenerator<Page> {
  const { marks, first } = beginning(start);
  const notes: string[] = [];
  for (const [number, list] of lists.entries()) {
    if (number < first) continue;
    for await (const page of list(marks[number])) {
      marks[number] = { position: page.position, done: page.done };
      if (page.note !== undefined) notes.push(page.note);
      const current = page.done ? number + 1 : number;
      const done = current === lists.length;
      const { note: _note, ...rest } = page;
      const position = { current, marks: marks.map((mark) => (mark === undefined ? null : { ...mark })) };
      yield { ...rest, position, done, ...(done && notes.length > 0 ? { note: notes.join('; ') } : {}) };
    }
  }
}

function beginning(start: Start): { readonly marks: (Mark | undefined)[]; readonly first: number } {
  const value = start?.position ?? null;
  if (start === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return { marks: [], first: 0 };
  const { current, marks } = value as Record<string, JsonValue | undefined>;
  return {
    marks: (Array.isArray(marks) ? marks : []).map(markOf),
    first: !start.done && typeof current === 'number' ? current : 0,
  };
}

function markOf(value: JsonValue): Mark | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { position, done } = value as Record<string, JsonValue | undefined>;
  return typeof done === 'boolean' ? { position: position ?? null, done } : undefined;
}

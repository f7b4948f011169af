/**
 * Reads the notes of merge requests: comments, and what the host records of decisions. They are the source of reviews.
 * Beside the list they cost one request for 25 merge requests, and one for each 100 more notes of a long one.
 */
import { SyncError } from '../../failures.js';
import type { JsonObject } from '../read.js';
import { readInstant, readList, readObjectOrNull, readText } from '../read.js';
import type { HostBProject } from './project.js';
import { type Answered, batchQuery, inBatches, moreQuery, nextOf, readBatch, readMore } from './request-batches.js';

export interface Note {
  /** The last part of the global id, which is the id in REST. */
  readonly id: string;
  /** The login of its author. */
  readonly author: string;
  readonly kind: 'comment' | 'comment on the diff' | 'system';
  readonly body: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Robots write more notes than that. A part of the notes does not show the reviews. */
const MOST_NOTES = 1000;

const NOTES =
  'nodes { id system body createdAt position { filePath } author { username } } pageInfo { hasNextPage endCursor }';
const FIRST_NOTES = batchQuery(`notes(first: 100) { ${NOTES} }`);
const MORE_NOTES = moreQuery('notes', NOTES);

/** Reads the notes of merge requests by number: null or missing where the host does not show them or has too many. */
export function requestNotes(
  project: HostBProject,
): (numbers: readonly number[]) => Promise<Answered<readonly Note[] | null>> {
  return inBatches(async (some) => {
    const found: [number, readonly Note[] | null][] = [];
    for (const [number, request] of await firstNotes(project, some))
      found.push([Number(number), await allNotes(project, number, readObjectOrNull(request['notes'], 'notes'))]);
    return found;
  });
}

/** A host that refuses this query shows no notes: the merge requests themselves are read all the same. */
async function firstNotes(
  project: HostBProject,
  numbers: readonly number[],
): Promise<readonly (readonly [string, JsonObject])[]> {
  try {
    return await readBatch(project, FIRST_NOTES, numbers);
  } catch (error) {
    if (error instanceof SyncError && REFUSALS.has(error.code)) return [];
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'not_found', 'unexpected_reply']);

async function allNotes(
  project: HostBProject,
  number: string,
  first: JsonObject | null,
): Promise<readonly Note[] | null> {
  const notes: Note[] = [];
  for (let connection = first; connection !== null;) {
    notes.push(...readNotes(connection));
    const after = nextOf(connection);
    if (after === null) return notes;
    if (notes.length >= MOST_NOTES) return null;
    connection = await readMore(project, number, after, MORE_NOTES, 'notes');
  }
  return null;
}

/** The notes of a connection, without those that have no record and therefore no number. */
function readNotes(connection: JsonObject): Note[] {
  return readList(connection['nodes'] ?? [], 'notes.nodes').flatMap((node) => {
    const note = readObjectOrNull(node, 'note');
    const id = note === null ? undefined : /\/(\d+)$/.exec(readText(note['id'], 'id'))?.[1];
    return note === null || id === undefined ? [] : [readNote(id, note)];
  });
}

function readNote(id: string, note: JsonObject): Note {
  const isOnDiff = readObjectOrNull(note['position'], 'position') !== null;
  const author = readObjectOrNull(note['author'], 'author');
  return {
    id,
    author: author === null ? 'ghost' : readText(author['username'], 'username'),
    kind: note['system'] === true ? 'system' : isOnDiff ? 'comment on the diff' : 'comment',
    body: readText(note['body'], 'body'),
    at: readInstant(note['createdAt'], 'createdAt'),
  };
}

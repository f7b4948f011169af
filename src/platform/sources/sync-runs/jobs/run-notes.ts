import { withoutSecrets } from '../../../../sync/failures.js';

/** The limit of the contract. */
const mostNotes = 50;
const longestNote = 500;
const omission = /^(\d+) more notes? (?:is|are) left out\.$/;

/**
 * Adds a note to the notes of a run, as one line, without duplicates and secrets. Beyond the limit, notes are only
 * counted.
 *
 * @param secrets texts that must not appear, whatever their source
 */
export function withNote(notes: readonly string[], text: string, secrets: readonly string[]): readonly string[] {
  // Remove secrets first: truncation could leave the beginning of one.
  const note = withoutSecrets(text, secrets).replaceAll(/\s+/g, ' ').trim().slice(0, longestNote);
  if (note === '' || notes.includes(note)) return notes;
  if (notes.length < mostNotes) return [...notes, note];
  const left = Number(omission.exec(notes.at(-1) ?? '')?.[1] ?? 1) + 1;
  return [...notes.slice(0, mostNotes - 1), `${left} more notes are left out.`];
}

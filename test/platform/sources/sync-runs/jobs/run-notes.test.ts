import { expect, it } from 'vitest';
import { withNote } from '../../../../../src/platform/sources/sync-runs/jobs/run-notes.js';

function notesOf(texts: readonly string[], secrets: readonly string[] = []): readonly string[] {
  return texts.reduce<readonly string[]>((notes, text) => withNote(notes, text, secrets), []);
}

it('Each note is listed once, in one line', () => {
  expect(notesOf(['acme/api:\n  CODEOWNERS', 'other', 'acme/api: CODEOWNERS', ' '])).toEqual([
    'acme/api: CODEOWNERS',
    'other',
  ]);
});

it('A note contains no secret, even one that the limit of its length would cut', () => {
  const secret = 'ghp_0123456789abcdef';
  const [note] = notesOf([`${'x'.repeat(490)} ${secret} and more`], [secret]);
  expect(note).not.toContain('ghp_');
  expect(notesOf([`token ${secret}`], [secret])).toEqual(['token ***']);
  expect(note?.length).toBeLessThanOrEqual(500);
});

it('Notes beyond the limit are counted', () => {
  const notes = notesOf(Array.from({ length: 60 }, (_, index) => `note ${index}`));
  expect(notes).toHaveLength(50);
  expect(notes.at(48)).toBe('note 48');
  expect(notes.at(-1)).toBe('11 more notes are left out.');
});

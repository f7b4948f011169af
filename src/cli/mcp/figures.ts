/** The definitions of all figures, as a resource. */
import { readFile } from 'node:fs/promises';

/** How the resource is listed. */
export const figuresResource = {
  uri: 'plumbline://figures',
  name: 'figures',
  title: 'What each figure means, its source, and what it must not be used for',
  mimeType: 'text/markdown',
} as const;

/** The text of the resource. */
export function readFigures(): Promise<string> {
  return readFile(new URL('../../analytics/FIGURES.md', import.meta.url), 'utf8');
}

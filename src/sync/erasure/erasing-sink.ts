/** A sink that stores no names of erased people, so that a sync does not bring them back. */
import type { Sink } from '../sinks/sink.js';
import { Eraser } from './eraser.js';
import { readErasures } from './erasures.js';

/**
 * The sink, which replaces the names of the people whom the organization has erased in everything that a sync writes.
 *
 * The list is read with each page, so that a person who is erased during a sync is not written after that.
 */
export function withoutErased(sink: Sink, orgId: string): Sink {
  let latest: { readonly revision: string; readonly eraser: Eraser } | undefined;
  const current = async (): Promise<Eraser | undefined> => {
    const erasures = await readErasures(sink, orgId);
    if (erasures === undefined) return undefined;
    if (latest?.revision !== erasures.revision) latest = { revision: erasures.revision, eraser: new Eraser(erasures) };
    return latest.eraser;
  };
  const { derivation } = sink;
  return {
    ...sink,
    apply: async (page) => {
      const eraser = page.tables.length === 0 ? undefined : await current();
      await sink.apply(eraser?.page(page) ?? page);
    },
    ...(derivation === undefined
      ? {}
      : {
          derivation: {
            ...derivation,
            // Among the notes are the texts of CODEOWNERS and .mailmap.
            writeProgress: async (repoId, notes) => {
              const eraser = await current();
              const erased = eraser === undefined ? notes : eraser.notes(notes);
              await derivation.writeProgress(repoId, erased);
            },
          },
        }),
  };
}

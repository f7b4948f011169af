/** What commands have printed. */
export interface Part {
  readonly kind: 'command' | 'stdout' | 'stderr' | 'end';
  readonly text: string;
}

export interface Transcript {
  add(part: Part): void;
  parts(): readonly Part[];
}

/**
 * Keeps the newest text, since a command may print without end. Pieces of one stream that follow each other are one
 * part.
 *
 * @param most how many characters are kept
 */
export function createTranscript(most: number): Transcript {
  let parts: Part[] = [];
  let length = 0;
  return {
    add({ kind, text }) {
      const last = parts.at(-1);
      const isOutput = kind === 'stdout' || kind === 'stderr';
      if (isOutput && last?.kind === kind) parts = [...parts.slice(0, -1), { kind, text: last.text + text }];
      else parts = [...parts, { kind, text }];
      length += text.length;
      while (length > most) {
        const [oldest] = parts;
        if (oldest === undefined) return;
        const rest = oldest.text.slice(length - most);
        length -= oldest.text.length - rest.length;
        parts = rest === '' ? parts.slice(1) : [{ ...oldest, text: rest }, ...parts.slice(1)];
      }
    },
    parts: () => parts,
  };
}

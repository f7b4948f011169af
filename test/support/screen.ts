/** What a terminal shows after some output. */
import xterm from '@xterm/headless';

export interface Screen {
  /** Lines that are not empty, as a person sees them, with those that were wrapped joined. */
  lines(): Promise<readonly string[]>;
  resize(rows: number, columns: number): Promise<void>;
  /** @param output since the beginning */
  show(output: string): void;
}

export function screen(rows: number, columns: number): Screen {
  const terminal = new xterm.Terminal({ rows, cols: columns, allowProposedApi: true });
  let shown = 0;
  const settled = (): Promise<void> =>
    new Promise((resolve) => {
      terminal.write('', resolve);
    });
  return {
    show(output) {
      terminal.write(output.slice(shown));
      shown = output.length;
    },
    async resize(newRows, newColumns) {
      await settled();
      terminal.resize(newColumns, newRows);
    },
    async lines() {
      await settled();
      const { active } = terminal.buffer;
      const lines: string[] = [];
      for (let at = 0; at < active.length; at++) {
        const line = active.getLine(at);
        const text = line?.translateToString(true) ?? '';
        if (line?.isWrapped === true) lines.push(`${lines.pop() ?? ''}${text}`);
        else lines.push(text);
      }
      return lines.filter((text) => text !== '');
    },
  };
}

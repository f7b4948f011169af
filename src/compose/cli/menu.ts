/** A line of keys below the output of containers, on a terminal. */
import type { Io } from './io.js';
import type { Session } from './session.js';
import { paint } from './text.js';

export interface MenuEntry {
  /** One character. */
  readonly key: string;
  readonly label: () => string;
  readonly press: () => void;
}

export interface Menu {
  /** Writes lines above the menu. */
  above(write: () => Promise<void>): Promise<void>;
  /** Removes the menu, and gives the keys back to the terminal. */
  close(): Promise<void>;
}

const CTRL_C = '\u0003';
const CYAN = 36;
const GAP = '   ';

/** Without a terminal: lines are written as they are, and no keys are read. */
export const noMenu: Menu = { above: (write) => write(), close: () => Promise.resolve() };

/** Reads keys until it is closed. Ctrl-C interrupts the command. */
export function openMenu(session: Session, entries: readonly MenuEntry[]): Menu {
  const { io } = session;
  const coloured = session.coloured('stdout');
  let drawn = 0;
  let isOpen = true;
  let last = Promise.resolve();
  const erase = (): string => {
    // A terminal that was narrowed has wrapped the line.
    const above = Math.max(0, Math.ceil(drawn / io.stdout.columns) - 1);
    drawn = 0;
    return `\r${above === 0 ? '' : `\u001b[${above}A`}\u001b[0J`;
  };
  const draw = (): string => {
    if (!isOpen) return '';
    const shown = fitting(entries, io.stdout.columns - 1);
    drawn = shown.map(textOf).join(GAP).length;
    return shown.map(({ key, label }) => `${paint(key, CYAN, coloured)} ${label()}`).join(GAP);
  };
  const above = (write: () => Promise<void>): Promise<void> => {
    const written = last.then(async () => {
      await io.stdout.write(erase());
      await write();
      await io.stdout.write(draw());
    });
    last = written.catch(() => undefined);
    return written;
  };
  const redraw = (): Promise<void> => above(() => Promise.resolve());
  const cook = io.stdin.raw();
  const unwatch = io.onResize(() => void redraw());
  void redraw();
  void eachKey(io, (key) => {
    if (key === CTRL_C) io.interrupt();
    entries.find((entry) => entry.key === key)?.press();
    void redraw();
  });
  return {
    above,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      unwatch();
      await redraw();
      cook();
      io.stdin.close();
    },
  };
}

function textOf({ key, label }: MenuEntry): string {
  return `${key} ${label()}`;
}

/** The entries that fit in one line. */
function fitting(entries: readonly MenuEntry[], columns: number): readonly MenuEntry[] {
  const shown = [...entries];
  while (shown.map(textOf).join(GAP).length > columns) shown.pop();
  return shown;
}

async function eachKey(io: Io, press: (key: string) => void): Promise<void> {
  try {
    for await (const chunk of io.stdin) for (const key of Buffer.from(chunk).toString()) press(key);
  } catch {
    // Closed together with the menu.
  }
}

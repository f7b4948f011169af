/** The keys that detach from a process and leave it running: Ctrl-P, then Ctrl-Q, as in Docker. */
const CTRL_P = 0x10;
const CTRL_Q = 0x11;

/** The user detached; the process is still running. */
export class Detached extends Error {
  override readonly name = 'Detached';
  constructor() {
    super('Detached.');
  }
}

/**
 * Passes keys on, and ends at the detach keys. A Ctrl-P is held back until the next key, so that the engine, which
 * handles the same keys, never sees both.
 *
 * @param onDetach called once, when both keys have been pressed
 */
export async function* untilDetached(
  keys: AsyncIterable<Uint8Array>,
  onDetach: () => void,
): AsyncGenerator<Uint8Array, void> {
  let isHeld = false;
  for await (const chunk of keys) {
    const passed: number[] = [];
    for (const key of chunk) {
      if (isHeld && key === CTRL_Q) {
        if (passed.length > 0) yield Uint8Array.from(passed);
        onDetach();
        return;
      }
      if (isHeld) passed.push(CTRL_P);
      isHeld = key === CTRL_P;
      if (!isHeld) passed.push(key);
    }
    if (passed.length > 0) yield Uint8Array.from(passed);
  }
  if (isHeld) yield Uint8Array.of(CTRL_P);
}

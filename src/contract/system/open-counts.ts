/** Counts what callers of this server have open, such as streams. */
export interface OpenCounts {
  /**
   * Counts one more.
   *
   * @returns what ends the count, once however often it is called; null when the caller has as many as it can have
   */
  open(caller: string): (() => void) | null;
}

/** @param most the number that a caller can have open */
export function countOpen(most: number): OpenCounts {
  const counts = new Map<string, number>();
  return {
    open: (caller) => {
      const count = counts.get(caller) ?? 0;
      if (count >= most) return null;
      counts.set(caller, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const rest = (counts.get(caller) ?? 1) - 1;
        if (rest === 0) counts.delete(caller);
        else counts.set(caller, rest);
      };
    },
  };
}

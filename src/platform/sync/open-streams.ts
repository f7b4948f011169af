/** Counts the open streams of each caller of this server. */
export interface OpenStreams {
  /**
   * Counts a stream.
   *
   * @returns what ends the count, once however often it is called; null when the caller has as many as it can have
   */
  open(caller: string): (() => void) | null;
}

/** @param most the number of streams that a caller can have */
export function countOpenStreams(most: number): OpenStreams {
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

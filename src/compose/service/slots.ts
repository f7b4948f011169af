import { ServerBusy } from './server-busy.js';

/** A limit without a queue: work beyond it is refused. */
export interface Slots {
  /**
   * @returns a function that releases the slot; further calls do nothing
   * @throws ServerBusy when all slots are taken
   */
  take(): () => void;
}

/**
 * @param most work at the same time
 * @param busy the message beyond it
 */
export function createSlots(most: number, busy: string): Slots {
  const taken = new Set<object>();
  return {
    take() {
      if (taken.size >= most) throw new ServerBusy(busy);
      const slot = {};
      taken.add(slot);
      return () => {
        taken.delete(slot);
      };
    },
  };
}

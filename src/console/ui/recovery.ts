import { useEffect } from 'preact/hooks';
import type { Trouble } from './trouble.js';

/** How long a view waits before it asks again for what it could not get. */
const pauseSeconds = 5;

/**
 * Asks again by itself while something is in trouble that passes: after the pause that the server asked for, otherwise
 * every few seconds.
 *
 * @param trouble null: there is none
 */
export function useRecovery(trouble: Trouble | null, again: () => unknown): void {
  const pause = trouble?.passes === true ? (trouble.waitSeconds ?? pauseSeconds) : null;
  useEffect(() => {
    if (pause === null) return;
    const timer = setInterval(() => void again(), pause * 1000);
    return () => {
      clearInterval(timer);
    };
  }, [pause, again]);
}

import { useEffect, useState } from 'preact/hooks';

export interface Countdown {
  /** Whole seconds until it ends; 0: it does not run. */
  readonly left: number;
  /** The same as `4:05`, or `12 s` below a minute. */
  readonly text: string;
  start(seconds: number): void;
}

/** Counts seconds down to zero, by the clock: a tab in the background does not fall behind. */
export function useCountdown(): Countdown {
  const [end, setEnd] = useState(0);
  const [now, setNow] = useState(0);
  const left = Math.max(0, Math.ceil((end - now) / 1000));
  const isRunning = left > 0;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 500);
    return () => {
      clearInterval(timer);
    };
  }, [isRunning, end]);
  return {
    left,
    text: left < 60 ? `${left} s` : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`,
    start: (seconds) => {
      setNow(Date.now());
      setEnd(Date.now() + seconds * 1000);
    },
  };
}

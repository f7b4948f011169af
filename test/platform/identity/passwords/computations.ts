import { createHook } from 'node:async_hooks';

/** Counts the bcrypt computations that `work` hands to worker threads. */
export async function countComputations<T>(
  work: () => Promise<T>,
): Promise<{ readonly computations: number; readonly result: T }> {
  let count = 0;
  const stop = onComputation(() => (count += 1));
  try {
    const result = await work();
    return { computations: count, result };
  } finally {
    stop();
  }
}

/** Resolves when so many computations have been handed to worker threads from now on. */
export async function computationsStarted(count: number): Promise<void> {
  await new Promise<void>((resolve) => {
    let missing = count;
    const stop = onComputation(() => {
      missing -= 1;
      if (missing > 0) return;
      stop();
      resolve();
    });
  });
}

function onComputation(listener: () => void): () => void {
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'Piscina.Task') listener();
    },
  }).enable();
  return () => hook.disable();
}

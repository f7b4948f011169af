import { createHook } from 'node:async_hooks';

/**
 * Counts the tasks that native addons hand to the thread pool while `work` runs: in this service those are the bcrypt
 * computations and nothing else. Node itself names its own kinds of tasks; those of addons built with napi-rs have no
 * name.
 */
export async function countNativeTasks<T>(
  work: () => Promise<T>,
): Promise<{ readonly tasks: number; readonly result: T }> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'undefined') count += 1;
    },
  });
  hook.enable();
  try {
    const result = await work();
    return { tasks: count, result };
  } finally {
    hook.disable();
  }
}

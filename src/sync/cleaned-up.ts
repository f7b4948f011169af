/**
 * Runs `action`, and `clean` after it in any case. A failure of `action` is the one that is thrown: what fails when things
 * are put away after it (a lock that cannot be deleted on a full disk) must not hide it.
 */
export async function cleanedUp<Result>(action: () => Promise<Result>, clean: () => Promise<unknown>): Promise<Result> {
  let result: Result;
  try {
    result = await action();
  } catch (error) {
    await clean().catch(() => undefined);
    throw error;
  }
  await clean();
  return result;
}

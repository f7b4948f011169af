/**
 * Runs `action`, then always `clean`. An error of `action` takes precedence: an error of the cleanup after it (a lock that
 * cannot be deleted on a full disk) must not hide it.
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

/**
 * Runs `action`, then always `clean`. An error of `action` takes precedence over an error of the cleanup, such as a
 * lock that cannot be deleted on a full disk.
 */
export async function cleanedUp<Result>(
  action: () => Promise<Result> | Result,
  clean: () => Promise<unknown>,
): Promise<Result> {
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

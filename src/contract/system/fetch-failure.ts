/** The reason of a failed `fetch`, which reports "fetch failed" and names the reason in its cause. */
export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

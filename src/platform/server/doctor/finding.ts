/** The result of one check of `plumbline doctor`. */
export interface Finding {
  /** The subject of the check: `database`, `clock`, ... */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do; null if nothing is needed. */
  readonly remedy: string | null;
}

/** Creates the findings of one check. */
export function findingsOf(check: string): {
  readonly ok: (message: string) => Finding;
  readonly warning: (message: string, remedy: string) => Finding;
  readonly failed: (message: string, remedy: string) => Finding;
} {
  return {
    ok: (message) => ({ check, status: 'ok', message, remedy: null }),
    warning: (message, remedy) => ({ check, status: 'warning', message, remedy }),
    failed: (message, remedy) => ({ check, status: 'failed', message, remedy }),
  };
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An AggregateError, for several addresses, has no message.
  const { message } = error;
  return message === '' && 'code' in error ? String(error.code) : message;
}

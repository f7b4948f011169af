const pattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a value is a UUID in lower case, the form in which ids are stored and signed. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}

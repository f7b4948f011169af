/** The code of a system error, such as `ENOENT`, or of a library's, such as `57014`; undefined: it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

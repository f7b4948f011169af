/**
 * The token of an `Authorization` header, or null if it has none. The scheme name is case-insensitive (RFC 9110,
 * section 11.1).
 */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

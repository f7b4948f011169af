/**
 * The different values of a cookie in a `Cookie` field. There are several if a sibling domain has added a cookie of the
 * same name. Their order does not say which one this server set (RFC 6265, section 8.6).
 *
 * @param most how many values are returned; further ones are ignored
 */
export function cookieValues(field: string | undefined, name: string, most = 8): string[] {
  const values = new Set<string>();
  for (const pair of (field ?? '').split(';')) {
    const [key = '', ...rest] = pair.trim().split('=');
    if (key === name && values.size < most) values.add(rest.join('='));
  }
  return [...values];
}

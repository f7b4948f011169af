/** `name=value` selects a label with this value, `name` a label with any value. */
export function labelFilter(given: readonly string[] = []): { labels?: Readonly<Record<string, string>> } {
  if (given.length === 0) return {};
  return {
    labels: Object.fromEntries(
      given.map((each) => {
        const end = each.indexOf('=');
        return end === -1 ? [each, ''] : [each.slice(0, end), each.slice(end + 1)];
      }),
    ),
  };
}

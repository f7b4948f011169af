/**
 * The decoded values of a path that fits a template such as `/things/{thing_id}`.
 *
 * @returns names and values; empty when the path does not fit or does not decode
 */
export function pathValues(template: string, path: string): [string, string][] {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const texts = template.split(/\{[^}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const values = new RegExp(`^${texts.join('([^/]*)')}$`).exec(path)?.slice(1) ?? [];
  try {
    return values.map((value, index) => [names[index] ?? '', decodeURIComponent(value)]);
  } catch {
    return [];
  }
}

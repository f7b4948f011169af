import type { Parameter } from './read-requests.js';

/** Separators between the items of a list by style. */
const separators: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|', label: '.' };

/**
 * Writes a value of a parameter by its style (OpenAPI, "Style Values"), before percent-encoding.
 *
 * @returns pairs of names and values; in a path or a header one pair, whose value stands there
 */
export function writeParameter(parameter: Parameter, value: unknown): [string, string][] {
  const { name, style, explode } = parameter;
  if (parameter.isJson) return [[name, JSON.stringify(value)]];
  const isRepeated = explode && style === 'form';
  if (Array.isArray(value)) {
    const items = value.map(textOf);
    if (isRepeated) return items.map((item) => [name, item]);
    const separator = explode && style === 'matrix' ? `;${name}=` : (separators[style] ?? ',');
    return [[name, prefix(parameter) + items.join(separator)]];
  }
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, each]: [string, unknown]): [string, string] => [key, textOf(each)]);
    if (style === 'deepObject') return pairs.map(([key, each]) => [`${name}[${key}]`, each]);
    if (isRepeated) return pairs;
    const joined = explode
      ? pairs.map(([key, each]) => `${key}=${each}`).join(style === 'matrix' ? ';' : (separators[style] ?? ','))
      : pairs.flat().join(',');
    return [[name, (style === 'matrix' && explode ? ';' : prefix(parameter)) + joined]];
  }
  return [[name, prefix(parameter) + textOf(value)]];
}

function prefix({ name, style }: Parameter): string {
  if (style === 'matrix') return `;${name}=`;
  return style === 'label' ? '.' : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Whether the contract allows what was sent for a parameter. A text has no type, so that `7` is allowed where a number
 * or a text is.
 *
 * @param pairs decoded names and values from the location of the parameter; for a path or a header one pair
 */
export function isAllowed(parameter: Parameter, pairs: readonly (readonly [string, string])[]): boolean {
  return readings(parameter, pairs).some((value) => parameter.check(value).length === 0);
}

/** Whether a parameter is present among the pairs of its location. */
export function isPresent(parameter: Parameter, pairs: readonly (readonly [string, string])[]): boolean {
  return ofParameter(parameter, pairs).length > 0;
}

/** The pairs that belong to a parameter. */
function ofParameter(parameter: Parameter, pairs: readonly (readonly [string, string])[]): [string, string][] {
  const { name, style, explode, isJson, in: location } = parameter;
  const isHeader = location === 'header';
  const properties = propertiesOf(parameter);
  const isSpread = explode && style === 'form' && !isJson && properties.length > 0;
  return pairs.flatMap(([key, value]): [string, string][] => {
    if (style === 'deepObject') {
      return key.startsWith(`${name}[`) && key.endsWith(']') ? [[key.slice(name.length + 1, -1), value]] : [];
    }
    if (isSpread) return properties.includes(key) ? [[key, value]] : [];
    return key === name || (isHeader && key.toLowerCase() === name.toLowerCase()) ? [[key, value]] : [];
  });
}

function propertiesOf({ schema }: Parameter): string[] {
  const properties: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'properties') : null;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/** What a server may understand: as texts, and as the other types that the texts can be. */
function readings(parameter: Parameter, all: readonly (readonly [string, string])[]): unknown[] {
  const { name, style, explode, isJson } = parameter;
  const pairs = ofParameter(parameter, all);
  if (style === 'deepObject' || (explode && style === 'form' && propertiesOf(parameter).length > 0 && !isJson)) {
    return asTextsAndTyped(pairs);
  }
  const [first = ''] = pairs.map(([, value]) => value);
  if (isJson) return [parsed(first)];
  const text = style === 'matrix' ? withoutPrefix(first, `;${name}=`) : withoutPrefix(first, prefix(parameter));
  const separator = explode && style === 'matrix' ? `;${name}=` : (separators[style] ?? ',');
  const items =
    explode && style === 'form' ? pairs.map(([, value]) => value) : text === '' ? [] : text.split(separator);
  return [
    ...(pairs.length > 1 ? [] : [text, typed(text)]),
    items,
    items.map(typed),
    ...(items.length > 0 ? asTextsAndTyped(pairsIn(items, explode)) : []),
  ];
}

function withoutPrefix(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text;
}

function pairsIn(items: readonly string[], explode: boolean): [string, string][] {
  if (explode) {
    return items.map((item): [string, string] => {
      const [key = '', ...value] = item.split('=');
      return [key, value.join('=')];
    });
  }
  return items.flatMap((item, index): [string, string][] => (index % 2 === 0 ? [[item, items[index + 1] ?? '']] : []));
}

function asTextsAndTyped(pairs: readonly [string, string][]): unknown[] {
  return [Object.fromEntries(pairs), Object.fromEntries(pairs.map(([key, value]) => [key, typed(value)]))];
}

/** The number, boolean or null that a text can be. */
function typed(text: string): unknown {
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)$/i.test(text)) return parsed(text.toLowerCase());
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

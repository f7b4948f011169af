import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Parameter } from './read-requests.js';

/** What separates the items of a list, or the properties of an object (OpenAPI 3.1.1, "Style Values"). */
function separatorOf({ name, style, explode }: Parameter): string {
  if (style === 'spaceDelimited') return ' ';
  if (style === 'pipeDelimited') return '|';
  if (style === 'label' && explode) return '.';
  return style === 'matrix' && explode ? `;${name}=` : ',';
}

/** Whether the properties of an object are sent as parameters. */
function isSpread({ style, explode, isJson, properties }: Parameter): boolean {
  return explode && style === 'form' && !isJson && (properties === null || properties.length > 0);
}

/**
 * Writes a value of a parameter by its style (OpenAPI, "Style Values"), before percent-encoding.
 *
 * @returns pairs of names and values; in a path or a header, one pair with the value to put there
 */
export function writeParameter(parameter: Parameter, value: unknown): [string, string][] {
  const { name, style, explode } = parameter;
  if (parameter.isJson) return [[name, JSON.stringify(value)]];
  const isRepeated = explode && style === 'form';
  if (Array.isArray(value)) {
    const items = value.map(textOf);
    if (isRepeated) return items.map((item) => [name, item]);
    return [[name, prefix(parameter) + items.join(separatorOf(parameter))]];
  }
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, each]: [string, unknown]): [string, string] => [key, textOf(each)]);
    if (style === 'deepObject') return pairs.map(([key, each]) => [`${name}[${key}]`, each]);
    if (isRepeated) return pairs;
    const joined = explode
      ? pairs.map(([key, each]) => `${key}=${each}`).join(style === 'matrix' ? ';' : separatorOf(parameter))
      : pairs.flat().join(separatorOf(parameter));
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
  const { name, style, properties, others, in: location } = parameter;
  const isHeader = location === 'header';
  const isOfOthers = (key: string): boolean => others.some((other) => key === other || key.startsWith(`${other}[`));
  const isProperty = (key: string): boolean => properties?.includes(key) ?? !isOfOthers(key);
  return pairs.flatMap(([key, value]): [string, string][] => {
    if (style === 'deepObject') {
      return key.startsWith(`${name}[`) && key.endsWith(']') ? [[key.slice(name.length + 1, -1), value]] : [];
    }
    if (isSpread(parameter)) return isProperty(key) ? [[key, value]] : [];
    return key === name || (isHeader && key.toLowerCase() === name.toLowerCase()) ? [[key, value]] : [];
  });
}

/** What a server may understand: as texts, and as the other types that the texts can be. */
function readings(parameter: Parameter, all: readonly (readonly [string, string])[]): unknown[] {
  const { name, style, explode, isJson } = parameter;
  const pairs = ofParameter(parameter, all);
  if (style === 'deepObject' || isSpread(parameter)) return readingsOfObject(parameter, pairs);
  const [first = ''] = pairs.map(([, value]) => value);
  if (isJson) return [parsed(first)];
  const text = style === 'matrix' ? withoutPrefix(first, `;${name}=`) : withoutPrefix(first, prefix(parameter));
  // OpenAPI 3.0 writes lists with dots in the style label.
  const separators = [separatorOf(parameter), ...(style === 'label' ? ['.'] : [])];
  return [
    ...(pairs.length > 1 ? [] : [text, typed(text)]),
    ...separators.flatMap((separator) => {
      const items =
        explode && style === 'form' ? pairs.map(([, value]) => value) : text === '' ? [] : text.split(separator);
      const ofMatrix = explode && style === 'matrix' ? withoutPrefix(first, ';').split(';') : items;
      return [
        ...readingsOfList(parameter, items),
        ...(items.length > 0 ? readingsOfObject(parameter, pairsIn(ofMatrix, explode)) : []),
      ];
    }),
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

function readingsOfList({ check }: Parameter, texts: readonly string[]): unknown[] {
  const values = texts.map(typed);
  const misread = misreadIn(check(values));
  return [texts, values, texts.map((text, index) => (misread.has(String(index)) ? text : typed(text)))];
}

function readingsOfObject({ check }: Parameter, pairs: readonly [string, string][]): unknown[] {
  const values = Object.fromEntries(pairs.map(([key, text]) => [key, typed(text)]));
  const misread = misreadIn(check(values));
  return [
    Object.fromEntries(pairs),
    values,
    Object.fromEntries(pairs.map(([key, text]) => [key, misread.has(key) ? text : typed(text)])),
  ];
}

/** The items or properties that break their schema: `7` can be a text beside one that is a number. */
function misreadIn(faults: readonly ErrorObject[]): ReadonlySet<string> {
  return new Set(faults.map(({ instancePath }) => instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')));
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

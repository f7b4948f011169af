/** Checks payloads of webhooks against the contract. */

/** The schema of a payload or of a part of it. Each property is required, and others are ignored. */
export interface PayloadSchema {
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: string;
  readonly enum?: readonly (string | null)[];
  readonly format?: Format;
  readonly properties?: Readonly<Record<string, PayloadSchema>>;
  readonly items?: PayloadSchema;
}

type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
type Format = 'uuid' | 'date-time' | 'date';

const formats: Readonly<Record<Format, RegExp>> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
};

/**
 * Where a value differs from a schema, as a JSON Pointer.
 *
 * @returns null when it does not
 */
export function faultOf(value: unknown, schema: PayloadSchema, path = ''): string | null {
  if (!isOfType(value, schema.type) || !isListed(value, schema) || !isFormatted(value, schema)) return path;
  const parts: [string, unknown, PayloadSchema][] = [];
  if (isObject(value)) {
    for (const [name, part] of Object.entries(schema.properties ?? {})) parts.push([name, own(value, name), part]);
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries()) parts.push([String(index), item, schema.items]);
  }
  for (const [name, part, partSchema] of parts) {
    const fault = faultOf(part, partSchema, `${path}/${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

function isOfType(value: unknown, types: PayloadSchema['type']): boolean {
  return types === undefined || [types].flat().some((type) => type === typeOf(value) || isWhole(value, type));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isWhole(value: unknown, type: JsonType): boolean {
  return type === 'integer' && Number.isInteger(value);
}

function isListed(value: unknown, schema: PayloadSchema): boolean {
  if (schema.const !== undefined && value !== schema.const) return false;
  return schema.enum === undefined || schema.enum.some((each) => each === value);
}

function isFormatted(value: unknown, { format }: PayloadSchema): boolean {
  return format === undefined || typeof value !== 'string' || formats[format].test(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An inherited property, such as `constructor`, is not in the payload. */
function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { entries, record, resolve } from './documents.js';
import { modernized } from './gate/modernize.js';
import { follow, fragment, type Pointer } from './gate/pointers.js';

/** Lists what of a value breaks a schema. */
export type Check = (value: unknown) => readonly ErrorObject[];

/** The schemas of a document, as they apply to what is sent in one direction. */
export interface Schemas {
  /** The document, with schemas of JSON Schema 2020-12. */
  readonly document: unknown;
  /** The check of the schema at a pointer; without a schema there, every value passes. */
  compile(pointer: Pointer): Check;
}

/** Who may leave out a required property: senders of requests those that are read-only, senders of replies the others. */
const optionalIn = { requests: 'readOnly', replies: 'writeOnly' } as const;

/** Reads the schemas of an OpenAPI 3.x document whose references stay within it (`loadDocument`). */
export function openSchemas(original: unknown, direction: keyof typeof optionalIn): Schemas {
  const upToDate = modernized(original);
  const document = withOptional(upToDate, upToDate, optionalIn[direction]);
  // A format that ajv does not know is not checked; that is no reason to write to the console.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, logger: false });
  formats.default(ajv);
  ajv.addSchema({ ...record(document), $id: 'contract' });
  const checks = new Map<string, Check>();
  const checkAt = (place: string): Check => {
    // Compiled when first used: most users need a small part of the contract.
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= ajv.compile({ $ref: `contract${place}` });
      return validate(value) ? [] : (validate.errors ?? []);
    };
  };
  return {
    document,
    compile: (pointer) => {
      const { value, pointer: target } = follow(document, pointer);
      if (value === undefined) return () => [];
      // Replies share most of their schemas.
      const place = fragment(target);
      const check = checks.get(place) ?? checkAt(place);
      checks.set(place, check);
      return check;
    },
  };
}

/** Removes properties that are marked by `keyword` from `required` (OpenAPI, "Schema Object"). */
function withOptional(document: unknown, value: unknown, keyword: 'readOnly' | 'writeOnly'): unknown {
  if (Array.isArray(value)) return value.map((each) => withOptional(document, each, keyword));
  if (typeof value !== 'object' || value === null) return value;
  const inner: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    inner[key] = key === 'example' ? each : withOptional(document, each, keyword);
  }
  const properties = record(inner['properties']);
  if (!Array.isArray(inner['required']) || Object.keys(properties).length === 0) return inner;
  const isOptional = (name: unknown): boolean => record(resolve(document, properties[String(name)]))[keyword] === true;
  return { ...inner, required: entries(inner['required']).filter((name) => !isOptional(name)) };
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { DocumentError, entries, lookUp, record, resolve } from './documents.js';
import { modernized } from './gate/modernize.js';
import { follow, fragment, type Pointer } from './gate/pointers.js';
import { mapObjects } from './members.js';
import { patternOf } from './pattern.js';

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

/**
 * Reads the schemas of an OpenAPI 3.x document whose references stay within it (`loadDocument`).
 *
 * @throws DocumentError, also by `compile`
 */
export function openSchemas(original: unknown, direction: keyof typeof optionalIn): Schemas {
  const document = withOptional(modernized(original), optionalIn[direction]);
  // A format that ajv does not know is not checked; it is not reported on the console either.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    logger: false,
    code: { regExp: tolerantPattern },
  });
  formats.default(ajv);
  ajv.addSchema({ ...record(mapObjects(document, withoutExamples)), $id: 'contract' });
  const checks = new Map<string, Check>();
  const verified = new Set<unknown>();
  /** Refuses a schema, or one that it refers to, that cannot be compiled: later it would end a recording. */
  const verify = (schema: unknown, place: string): void => {
    if (typeof schema !== 'object' || schema === null || verified.has(schema)) return;
    verified.add(schema);
    // Many contracts break the schema of schemas in ways that change nothing, such as an empty description.
    if (!ajv.validateSchema(schema)) compileAt(place);
    mapObjects(schema, (object) => {
      const { $ref: reference } = object;
      if (typeof reference === 'string') verify(lookUp(document, reference), reference);
      return object;
    });
  };
  const compileAt = (place: string): ValidateFunction => {
    try {
      return ajv.compile({ $ref: `contract${place}` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DocumentError(`The schema at ${place} is invalid: ${reason}.`);
    }
  };
  const checkAt = (place: string): Check => {
    // Compiled when first used: most users need a small part of the contract.
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= compileAt(place);
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
      verify(value, place);
      const check = checks.get(place) ?? checkAt(place);
      checks.set(place, check);
      return check;
    },
  };
}

/** Removes properties that are marked by `keyword` from `required` (OpenAPI, "Schema Object"). */
function withOptional(document: unknown, keyword: 'readOnly' | 'writeOnly'): unknown {
  return mapObjects(document, (object) => {
    const properties = record(object['properties']);
    if (!Array.isArray(object['required']) || Object.keys(properties).length === 0) return object;
    const isOptional = (name: unknown): boolean =>
      record(resolve(document, properties[String(name)]))[keyword] === true;
    return { ...object, required: entries(object['required']).filter((name) => !isOptional(name)) };
  });
}

/** A pattern that is not a regular expression is not checked, like an unknown format. */
const tolerantPattern = Object.assign((text: string): RegExp => patternOf(text) ?? /(?:)/, { code: 'tolerantPattern' });

/** ajv looks for `$id` in examples, too, where one id may stand several times. */
function withoutExamples(object: Readonly<Record<string, unknown>>): unknown {
  const { example: _, examples: __, ...rest } = object;
  return rest;
}

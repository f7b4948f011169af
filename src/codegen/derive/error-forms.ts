/** Presents the errors of an operation in the form of another standard: `x-error-form`. */
import type { ErrorForm } from '@plumbline/contract/contract-types';
import {
  httpMethods,
  isRecord,
  resolve,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type PathItemObject,
  type Reference,
  type ResponseObject,
  type SchemaObject,
} from '../read/openapi-document.js';

/** The media type of SCIM (RFC 7644, section 3.1). */
export const scimMediaType = 'application/scim+json';

/** @throws Error for a form that does not exist */
export function readErrorForm({ 'x-error-form': form = null }: OperationObject): ErrorForm | null {
  if (form !== null && form !== 'scim') throw new Error(`x-error-form: ${JSON.stringify(form)} is not supported`);
  return form;
}

/**
 * Replaces the problems of the operations that have an error form by that form. The sources of the contract name the
 * problems, which handlers return and the pipeline knows; callers see this document.
 *
 * @throws Error when the document lacks the schema `ScimError`
 */
export function withErrorForms(document: OpenApiDocument): OpenApiDocument {
  const items = Object.entries(document.paths ?? {});
  const paths = items.map(([path, item]): [string, PathItemObject] => {
    const formed = httpMethods.flatMap((method): [string, OperationObject][] => {
      const operation = item[method];
      if (operation === undefined || readErrorForm(operation) === null) return [];
      if (document.components?.schemas?.['ScimError'] === undefined) throw new Error('there is no schema ScimError');
      const entries = Object.entries(operation.responses).map(
        ([status, response]): [string, ResponseObject | Reference] => [status, inScim(document, response)],
      );
      const responses: OperationObject['responses'] = Object.fromEntries(entries);
      return [[method, { ...operation, responses }]];
    });
    const changed: Partial<Record<string, OperationObject>> = Object.fromEntries(formed);
    return [path, { ...item, ...changed }];
  });
  return { ...document, ...(document.paths !== undefined && { paths: Object.fromEntries(paths) }) };
}

function inScim(document: OpenApiDocument, given: ResponseObject | Reference): ResponseObject | Reference {
  const response = resolve<ResponseObject>(document, given);
  const problems = response.content?.['application/problem+json'];
  if (problems === undefined) return given;
  const schema = { $ref: '#/components/schemas/ScimError' };
  // The generator reads its own result again, to compile the schemas.
  return {
    ...response,
    'x-problems': problems.schema ?? {},
    content: { [scimMediaType]: { schema, examples: examplesInScim(document, problems) } },
  };
}

function examplesInScim(document: OpenApiDocument, { example, examples }: MediaTypeObject): Record<string, object> {
  const named = isRecord(examples) ? Object.entries(examples) : [['error', { value: example }] as const];
  return Object.fromEntries(
    named.map(([name, given]) => {
      const { value, ...others } = isRecord(given) ? resolve<Record<string, unknown>>(document, given) : {};
      return [name, { ...others, value: scimErrorOf(isRecord(value) ? value : {}) }];
    }),
  );
}

/** The error as `src/contract/scim-error.ts` writes it: the generator runs before that package is built. */
function scimErrorOf({ status, message, scim_type: scimType }: SchemaObject): object {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  return { schemas, status: String(status), ...(scimType !== undefined && { scimType }), detail: message };
}

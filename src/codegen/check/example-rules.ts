import {
  resolve,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
} from '../read/openapi-document.js';

/**
 * Lists the media types and parameters of an operation without an example. Lint checks that examples are valid, not that
 * they exist.
 *
 * @returns one line per fault
 */
export function exampleFaults(document: OpenApiDocument, item: PathItemObject, operation: OperationObject): string[] {
  const faults: string[] = [];
  for (const given of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const parameter = resolve<ParameterObject>(document, given);
    if (!hasExample(parameter) && !hasExample(resolve<SchemaObject>(document, parameter.schema)))
      faults.push(`the parameter ${parameter.name} has no example`);
  }
  const { requestBody, responses } = operation;
  const body = requestBody === undefined ? {} : resolve<RequestBodyObject>(document, requestBody).content;
  for (const type of withoutExample(body)) faults.push(`the request body ${type} has no example`);
  for (const [status, response] of Object.entries(responses)) {
    const { content = {} } = resolve<ResponseObject>(document, response);
    for (const type of withoutExample(content)) faults.push(`status ${status}: ${type} has no example`);
  }
  return faults;
}

function withoutExample(content: Readonly<Record<string, MediaTypeObject>>): string[] {
  return Object.entries(content).flatMap(([type, media]) => (hasExample(media) ? [] : [type]));
}

function hasExample(holder: MediaTypeObject | SchemaObject): boolean {
  const { examples } = holder;
  return 'example' in holder || (typeof examples === 'object' && examples !== null && Object.keys(examples).length > 0);
}

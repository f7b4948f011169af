import {
  resolve,
  type HeaderObject,
  type OpenApiDocument,
  type Reference,
  type ResponseObject,
} from '../read/openapi-document.js';

/**
 * Lists the responses without the header `X-Request-Id`, which the pipeline puts on every reply.
 *
 * @param responses the completed responses of an operation, by status: lint does not see those that are derived
 * @returns one line per fault
 */
export function headerFaults(
  document: OpenApiDocument,
  responses: Readonly<Record<string, ResponseObject | Reference>>,
): string[] {
  return Object.entries(responses).flatMap(([status, given]) => {
    const { headers = {} } = resolve<ResponseObject>(document, given);
    const header = headers['X-Request-Id'];
    const { required, 'x-set-by': setBy } = header === undefined ? {} : resolve<HeaderObject>(document, header);
    const isRight = required === true && setBy === 'pipeline';
    return isRight ? [] : [`${status} has no required header X-Request-Id with x-set-by: pipeline`];
  });
}

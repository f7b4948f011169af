import { routes } from '../../../generated/platform/routes.js';
import { exampleRequests, initOf, urlOf, type ExampleRequest } from '../../support/examples.js';
import type { JsonReply, TestPlatform } from '../../support/platform.js';

/** The same request to a server: the example of the contract, with what a test puts into it. */
export interface Filling {
  /** Bearer token; left out: none is sent. */
  readonly token?: string;
  /** Values of path and query parameters, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Properties of the body, over those of the example. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Every operation of the Platform API as its example in the contract. */
export const platformExamples: readonly ExampleRequest[] = exampleRequests('platform');

/** The operations that only service tokens can call. */
export const onlyServiceTokens: ReadonlySet<string> = new Set(
  routes
    .filter(
      ({ security }) => security.schemes.length > 0 && security.schemes.every(({ name }) => name === 'serviceToken'),
    )
    .map(({ operationId }) => operationId),
);

/** The same as `[{ name, example }]`, for `test.each`. */
export function named(
  examples: readonly ExampleRequest[],
): readonly { readonly name: string; readonly example: ExampleRequest }[] {
  return examples.map((example) => ({ name: example.operationId, example }));
}

/** The example of one operation. */
export function exampleOf(operationId: string): ExampleRequest {
  const found = platformExamples.find((each) => each.operationId === operationId);
  if (found === undefined) throw new Error(`The contract has no operation ${operationId}`);
  return found;
}

/** Sends the example of an operation, filled in. */
export function sendExample(
  platform: TestPlatform,
  example: ExampleRequest,
  { token, parameters = {}, body }: Filling = {},
): Promise<JsonReply> {
  const filled: ExampleRequest = {
    ...example,
    parameters: example.parameters.map((each) => ({ ...each, value: parameters[each.name] ?? each.value })),
  };
  const value = body === undefined ? filled.body?.value : { ...Object(filled.body?.value), ...body };
  const { headers } = initOf(filled);
  return platform.json(filled.method, urlOf(filled), {
    token,
    headers,
    ...(filled.body === null ? {} : { body: value }),
  });
}

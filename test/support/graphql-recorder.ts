import { fileURLToPath } from 'node:url';
import { checkGraphql, type GraphqlExchange } from './graphql-check.js';
import { graphqlSurface, loadGraphqlContract, type GraphqlContract } from './graphql-contract.js';
import type { Observations } from '../../src/contract-tools/gate/observations.js';
import { ContractViolation, observe, reportFault } from './recorder.js';

/**
 * A `fetch` for tests that talk to `/graphql`: every reply is checked against `graphql/`, and what it shows is noted for
 * the gate. Its promise is rejected with a `ContractViolation` when a reply is not as documented. What is not below
 * `/graphql` passes unseen.
 */
export function recordingGraphqlFetch(
  contract: GraphqlContract = repositoryContract(),
  observations: Observations = { observe, reportFault },
  transport: typeof fetch = fetch,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const requestBody = request.body === null ? null : await request.clone().text();
    const response = await transport(request);
    const path = new URL(request.url).pathname;
    if (!/^\/graphql(?:\/schema(?:\.graphql)?)?$/.test(path) || request.method === 'HEAD') return response;
    const exchange = {
      method: request.method,
      path,
      requestHeaders: request.headers,
      requestBody,
      status: response.status,
      headers: response.headers,
      body: await response.clone().text(),
    };
    recordGraphqlExchange(exchange, contract, observations);
    return response;
  };
}

/**
 * Checks one exchange with `/graphql` that was made by another client or is in a HAR file, and notes what it shows.
 *
 * @throws ContractViolation
 */
export function recordGraphqlExchange(
  exchange: GraphqlExchange,
  contract: GraphqlContract = repositoryContract(),
  observations: Observations = { observe, reportFault },
): void {
  const { units, faults } = checkGraphql(contract, exchange);
  for (const unit of faults.length === 0 ? units : []) observations.observe(graphqlSurface, unit);
  if (faults.length === 0) return;
  observations.reportFault(graphqlSurface, faults.join('; '));
  throw new ContractViolation(faults.join('; '));
}

let loaded: GraphqlContract | undefined;

function repositoryContract(): GraphqlContract {
  return (loaded ??= loadGraphqlContract(fileURLToPath(new URL('../..', import.meta.url))));
}

export type { Endpoint } from './compose/address.js';
export { isCase, type CatalogueProblem, type ErrorCase, type ErrorFamily } from './compose/catalogue.js';
export { createComposeClient, type ComposeClientOptions, type Transport } from './compose/client.js';
export type * from './generated/compose/openapi.js';
export * from './generated/compose/operations.js';
export * from './generated/compose/problems.js';
export * from './generated/compose/values.js';

/** APIs for tests: they answer from the examples of the contracts, without network. */
import { examples as composeExamples, type Operations as ComposeOperations } from './generated/compose/examples.js';
import { apiVersion as composeVersion } from './generated/compose/operations.js';
import { examples as platformExamples, type Operations as PlatformOperations } from './generated/platform/examples.js';
import { apiVersion as platformVersion } from './generated/platform/operations.js';
import { createFakeApi, type FakeApi } from './testing/fake-api.js';

export type { FakeApi, FakeCall, FakeReply } from './testing/fake-api.js';

/** Creates a Platform API for tests: give its `fetch` to `createPlatformClient`. Each operation answers its example. */
export function createFakePlatform(): FakeApi<PlatformOperations> {
  return createFakeApi<PlatformOperations>(platformVersion, platformExamples);
}

/** Creates a Compose API for tests: give its `fetch` to `createComposeClient`. */
export function createFakeCompose(): FakeApi<ComposeOperations> {
  return createFakeApi<ComposeOperations>(composeVersion, composeExamples);
}

/**
 * Lies about replies that the compiler refuses. `npm run check:types` fails where one of them compiles. Extra properties
 * compile; the lint rule `exact-replies` finds those that types show on the way from the value to the reply.
 */
import type {
  DisownAccountHandler,
  LogoutHandler,
  Schemas,
  StartBrowserSessionHandler,
} from '../../generated/platform/operations.js';
import { accountLocked, validationFailed } from '../../generated/problems.js';

declare const done: Schemas['DisownResponse'];
declare const session: Schemas['BrowserSessionResponse'];

export const honest: DisownAccountHandler<null> = () => ({ status: 200, body: done });

// @ts-expect-error -- the operation has no reply with this status
export const undocumentedStatus: DisownAccountHandler<null> = () => ({ status: 201, body: done });

// @ts-expect-error -- the same from an async handler
export const undocumentedStatusLater: DisownAccountHandler<null> = () => Promise.resolve({ status: 201, body: done });

// @ts-expect-error -- a property of the body is missing
export const missingProperty: DisownAccountHandler<null> = () => ({ status: 200, body: {} });

// @ts-expect-error -- the body has a property of another type
export const wrongProperty: DisownAccountHandler<null> = () => ({ status: 200, body: { ...done, message: 1 } });

// @ts-expect-error -- the operation does not document this problem
export const foreignProblem: DisownAccountHandler<null> = () => accountLocked({ message: '', retry_after_seconds: 1 });

// @ts-expect-error -- a member of the problem is missing
export const incompleteProblem = (): unknown => validationFailed({ message: '' });

// @ts-expect-error -- the reply has no documented headers
export const extraHeader: DisownAccountHandler<null> = () => ({ status: 200, body: done, headers: { 'X-Other': '1' } });

export const pipelineHeader: DisownAccountHandler<null> =
  // @ts-expect-error -- only the pipeline sets X-Request-Id, which the contract documents for every reply
  () => ({ status: 200, body: done, headers: { 'X-Request-Id': '1' } });

// @ts-expect-error -- the documented header is missing
export const missingHeader: StartBrowserSessionHandler<null> = () => ({ status: 200, body: session });

// @ts-expect-error -- the reply has no body
export const extraBody: LogoutHandler<null> = () => ({ status: 204, body: done });

import { appNotConfigured } from '../../../../generated/problems.js';

/** The reply of a server whose operator has not registered an app. */
export function noApp(): ReturnType<typeof appNotConfigured> {
  return appNotConfigured({ message: 'This server has no app at the code host. Connect it with an access token.' });
}

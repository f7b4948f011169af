import type { IncomingMessage } from 'node:http';
import type { ProblemReply, Route } from '@plumbline/contract/contract-types';
import { foreignRequest } from '../../../../generated/problems.js';
import { foreignPageOf } from '@plumbline/contract/foreign-page';

const browserHeader = 'x-plumbline-browser';

/**
 * Rejects requests from pages of other sites to operations that use the cookie of a browser session. Those are the
 * operations whose contract documents the problem. `SameSite=Strict` alone would allow another port or subdomain of the
 * same site.
 *
 * @param appBaseUrl its origin is that of the console's pages, even if a proxy changes `Host`
 */
export function createBrowserSessionAdmission(
  appBaseUrl: () => string,
): (request: IncomingMessage, route: Route) => ProblemReply | null {
  return (request, route) => {
    if (request.method !== route.method) return null; // Gets 405, and has no effect.
    const forbidden = route.replies[403];
    if (forbidden?.kind !== 'problem' || forbidden.problems['foreign-request'] === undefined) return null;
    const page = foreignPageOf(request, [new URL(appBaseUrl()).origin]);
    if (page !== null) {
      return foreignRequest({ message: `A page of ${page} may not use the session of this browser.` });
    }
    // A page of another origin cannot set this header, even if the browser omits the other headers.
    const needsHeader = route.headers?.names.includes(browserHeader) === true;
    if (needsHeader && request.headers[browserHeader] !== '1') {
      return foreignRequest({ message: 'The request needs the header X-Plumbline-Browser: 1.' });
    }
    return null;
  };
}

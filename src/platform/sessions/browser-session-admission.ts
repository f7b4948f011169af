import type { IncomingMessage } from 'node:http';
import type { ProblemReply, Route } from '../../../generated/contract.js';
import { foreignRequest } from '../../../generated/problems.js';
import { foreignPageOf } from '../../contract/foreign-page.js';

const browserHeader = 'x-plumbline-browser';

/**
 * Keeps pages of other sites from operations that use the cookie of a browser session: those whose contract documents
 * the problem. `SameSite=Strict` does not stop another port or subdomain of the same site; this does.
 *
 * @param appBaseUrl its origin is that of the console's pages, even if a proxy changes `Host`
 */
export function createBrowserSessionAdmission(
  appBaseUrl: () => string,
): (request: IncomingMessage, route: Route) => ProblemReply | null {
  return (request, route) => {
    if (request.method !== route.method) return null; // Answered 405, and changes nothing.
    const forbidden = route.replies[403];
    if (forbidden?.kind !== 'problem' || forbidden.problems['foreign-request'] === undefined) return null;
    const page = foreignPageOf(request, [new URL(appBaseUrl()).origin]);
    if (page !== null) {
      return foreignRequest({ message: `A page of ${page} may not use the session of this browser.` });
    }
    // A page of another origin cannot add a header of this kind, not even where the browser sends none of the others.
    const needsHeader = route.headers?.names.includes(browserHeader) === true;
    if (needsHeader && request.headers[browserHeader] !== '1') {
      return foreignRequest({ message: 'The request needs the header X-Plumbline-Browser: 1.' });
    }
    return null;
  };
}

/** Links to the web page, and the sessions of browsers. */
import type {
  CreatePageLinkHandler,
  EndPageSessionHandler,
  StartPageSessionHandler,
} from '../../../../generated/compose/operations.js';
import { pageLinkRefused, pageNotServed } from '../../../../generated/problems.js';
import type { ComposeDependencies } from '../dependencies.js';

export const createPageLink: CreatePageLinkHandler<ComposeDependencies> = (_request, { page }) => {
  if (page === null) return notServed();
  const { url, expiresAt } = page.createLink();
  return { status: 201, body: { url, expires_at: expiresAt.toISOString() } };
};

export const startPageSession: StartPageSessionHandler<ComposeDependencies> = ({ body }, { page }) => {
  if (page === null) return notServed();
  const session = page.open(body.token);
  if (session === null) {
    return pageLinkRefused({
      message:
        'This link was used, has expired, or was replaced by a newer one. Get a new one with `plumbline compose ui`.',
    });
  }
  const { key, expiresAt, setCookie } = session;
  return { status: 201, headers: { 'Set-Cookie': setCookie }, body: { key, expires_at: expiresAt.toISOString() } };
};

export const endPageSession: EndPageSessionHandler<ComposeDependencies> = ({ headers }, { page }) =>
  page === null ? notServed() : { status: 204, headers: { 'Set-Cookie': page.end(headers['x-plumbline-page'] ?? '') } };

const notServed = (): ReturnType<typeof pageNotServed> =>
  pageNotServed({ message: 'This server has no page. Start it with `plumbline compose serve --ui`.' });

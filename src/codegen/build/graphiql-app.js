/**
 * The script of the page at GET /graphql: GraphiQL, with the schema of this server. `npm run build` bundles it with its
 * styles, so that the page loads nothing from other origins.
 *
 * A query needs an access token and an organization. If the console opened this page, it provides both; otherwise the
 * user types them into the headers. They are not stored.
 */
import { GraphiQL } from 'graphiql';
import { buildSchema } from 'graphql';
import 'graphiql/style.css';
import './graphiql-app.css';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

/** How long the console may take to respond, including the renewal of its token. */
const consoleMs = 5000;

/**
 * Asks the console for an access token and its organization. The console responds only to a window that it has opened,
 * and both sides accept only messages of the same origin.
 *
 * @returns null when the console did not open this page, or no user is logged in there
 */
function askConsole() {
  if (window.opener === null || window.opener.closed) return Promise.resolve(null);
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, consoleMs, null);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    window.opener.postMessage({ kind: 'plumbline.access' }, location.origin, [port2]);
  });
}

const first = await askConsole();
const organization = first?.orgId ?? '<organization id>';
const headers =
  first === null ? JSON.stringify({ Authorization: 'Bearer <access token>', 'X-Org-Id': organization }, null, 2) : '{}';
const variables = JSON.stringify({ orgId: organization }, null, 2);
const hint =
  first === null
    ? '# Put an access token and the id of your organization into Headers, and the id into Variables.'
    : '# Queries are sent with your access token from the console.';
const query = `${hint}
query Values($orgId: String!) {
  catalog(orgId: $orgId, dimension: TEAM) {
    values {
      value
      count
    }
  }
}
`;

/**
 * Sends a query with the headers of the editor; X-Org-Id also becomes the query parameter. Without Authorization among
 * them, it asks the console each time, because tokens expire.
 */
const fetcher = async (params, options) => {
  const given = new Headers(options?.headers ?? {});
  const access = given.has('Authorization') ? null : await askConsole();
  if (access !== null) given.set('Authorization', `Bearer ${access.token}`);
  const organization = given.get('X-Org-Id') ?? params.variables?.orgId ?? access?.orgId ?? '';
  given.set('Accept', 'application/graphql-response+json');
  given.set('Content-Type', 'application/json');
  const reply = await fetch(`/graphql?org_id=${encodeURIComponent(organization)}`, {
    method: 'POST',
    headers: given,
    body: JSON.stringify(params),
  });
  return reply.json();
};

const text = await (await fetch('/graphql/schema')).text();
createRoot(document.getElementById('graphiql')).render(
  createElement(GraphiQL, {
    fetcher,
    schema: buildSchema(text),
    defaultQuery: query,
    defaultHeaders: headers,
    variables,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: first === null ? 'headers' : 'variables',
  }),
);

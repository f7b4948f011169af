/**
 * What the page at GET /graphql runs in the browser: GraphiQL, with the schema from this server. `npm run build` bundles
 * it, with its styles, so that the page loads nothing from elsewhere.
 *
 * A query needs an access token and an organization. The console, when it has opened this page, gives both; otherwise
 * they are typed into the headers. They are kept nowhere.
 */
import { GraphiQL } from 'graphiql';
import 'graphiql/graphiql.css';
import './graphiql-app.css';
import { buildSchema } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

/** How long the console may take to answer, which includes the renewal of its token. */
const consoleMs = 5000;

/**
 * Asks the console for an access token and its organization. The console answers the window that it has opened, and
 * both sides talk to their own origin only.
 *
 * @returns null when this page was not opened by the console, or nobody is logged in there any more
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
 * Sends a query with the headers of the editor; the organization of the query parameter is that of X-Org-Id. Without
 * Authorization among them, it asks the console each time: tokens expire.
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

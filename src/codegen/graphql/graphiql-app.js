/**
 * What the page at GET /graphql runs in the browser: GraphiQL, with the schema from this server. `npm run build` bundles
 * it, with its styles, so that the page loads nothing from elsewhere.
 *
 * A query needs an access token and an organization; both are typed into the headers, and kept nowhere.
 */
import { GraphiQL } from 'graphiql';
import 'graphiql/graphiql.css';
import './graphiql-app.css';
import { buildSchema } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const headers = JSON.stringify({ Authorization: 'Bearer <access token>', 'X-Org-Id': '<organization id>' }, null, 2);
const variables = JSON.stringify({ orgId: '<organization id>' }, null, 2);
const query = `# Put an access token and the id of your organization into Headers, and the id into Variables.
query Values($orgId: String!) {
  catalog(orgId: $orgId, dimension: TEAM) {
    values {
      value
      count
    }
  }
}
`;

/** Sends a query with the headers of the editor; the organization of the query parameter is that of X-Org-Id. */
const fetcher = async (params, options) => {
  const given = new Headers(options?.headers ?? {});
  const organization = given.get('X-Org-Id') ?? params.variables?.orgId ?? '';
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
    defaultEditorToolsVisibility: 'headers',
  }),
);

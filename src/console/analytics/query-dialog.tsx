import type { OrganizationVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.js';

export interface QueryDialogProps {
  readonly query: { readonly id: string; readonly text: string };
  readonly variables: OrganizationVariables;
}

/** A button that shows how a program asks for the figures of the page. */
export function QueryDialog({ query: { id, text }, variables }: QueryDialogProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const json = JSON.stringify(variables, null, 2);
  const curl = [
    `curl '${location.origin}/graphql?org_id=${variables.orgId}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'Authorization: Bearer <access token>' \\`,
    `  -H 'X-Persisted-Query-Id: ${id}' \\`,
    `  -d '${JSON.stringify({ variables }).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
  const sdk = [
    `import { createAnalyticsClient, unwrapAnalytics } from '@plumbline/sdk/analytics';`,
    '',
    `const analytics = createAnalyticsClient({ baseUrl: '${location.origin}', accessToken });`,
    `const data = unwrapAnalytics(await analytics.persisted('${id}', ${json}));`,
  ].join('\n');
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        Show the query
      </button>
      <Dialog
        title="The query of this page"
        open={isOpen}
        onClose={() => {
          setOpen(false);
        }}
      >
        <Snippet title="curl" text={curl} isOpen />
        <Snippet title="SDK" text={sdk} />
        <Snippet title="GraphQL" text={text} />
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              setOpen(false);
            }}
          >
            Close
          </button>
        </div>
      </Dialog>
    </>
  );
}

function Snippet({ title, text, isOpen = false }: { title: string; text: string; isOpen?: boolean }): JSX.Element {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

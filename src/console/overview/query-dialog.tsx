import { overview } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.js';
import type { OverviewQueryVariables } from './analytics.js';

/** A button that shows how a program asks for the figures of the page. */
export function QueryDialog({ variables }: { variables: OverviewQueryVariables }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const json = JSON.stringify(variables, null, 2);
  const curl = [
    `curl '${location.origin}/graphql?org_id=${variables.orgId}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'Authorization: Bearer <access token>' \\`,
    `  -H 'X-Persisted-Query-Id: ${overview.id}' \\`,
    `  -d '${JSON.stringify({ variables }).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
  const sdk = [
    `import { createAnalyticsClient, overview, unwrapAnalytics } from '@plumbline/sdk/analytics';`,
    '',
    `const analytics = createAnalyticsClient({ baseUrl: '${location.origin}', accessToken });`,
    `const { analytics: figures } = unwrapAnalytics(await analytics.query(overview, ${json}));`,
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
        <Snippet title="GraphQL" text={overview.text} />
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

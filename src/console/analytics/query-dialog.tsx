import type { OrganizationVariables } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.js';
import type { Dimension } from './client.js';

export interface QueryDialogProps {
  readonly query: { readonly id: string; readonly text: string };
  readonly variables: OrganizationVariables;
}

/** Where a chart's figures are in the reply. */
export interface ReplyPart {
  /** For programs in JavaScript, from `data` on. */
  readonly js: string;
  /** For the command `jq`. */
  readonly jq: string;
}

/** The items of a breakdown. @param at its place in the batch */
export function itemsOf(at: number): ReplyPart {
  return { js: `data.analytics.breakdowns[${at}]?.items`, jq: `.data.analytics.breakdowns[${at}].items` };
}

/** The lines of a dimension. */
export function linesOf(dimension: Dimension): ReplyPart {
  return {
    js: `data.analytics.timeseries.filter(({ dimension }) => dimension === '${dimension}')`,
    jq: `.data.analytics.timeseries | map(select(.dimension == "${dimension}"))`,
  };
}

/** The flow. */
export const flowPart: ReplyPart = partAt('analytics.sankey');

/** A member of the reply's data. @param path such as `analytics.dora` */
export function partAt(path: string): ReplyPart {
  return { js: `data.${path}`, jq: `.data.${path}` };
}

/** A button that shows how a program asks for the figures of the page. */
export function QueryDialog(props: QueryDialogProps): JSX.Element {
  return <QueryButton {...props} title="The query of this page" part={null} text="Show the query" />;
}

/** The same for one chart of the page: its query has the figures of all of them. */
export function ChartQuery({
  part,
  title,
  ...props
}: QueryDialogProps & { part: ReplyPart; title: string }): JSX.Element {
  return (
    <QueryButton
      {...props}
      title={`The query of ${title}`}
      part={part}
      text="Query"
      label={`Query of ${title}`}
      quiet
    />
  );
}

interface QueryButtonProps extends QueryDialogProps {
  /** The title of the dialog. */
  readonly title: string;
  /** What of the reply is wanted; null: all. */
  readonly part: ReplyPart | null;
  readonly text: string;
  readonly label?: string;
  readonly quiet?: boolean;
}

function QueryButton({ text, label, quiet = false, title, ...props }: QueryButtonProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        class={quiet ? 'quiet' : undefined}
        aria-label={label}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text}
      </button>
      <Dialog title={title} open={isOpen} onClose={close}>
        <Snippets {...props} />
        <div class="actions">
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </Dialog>
    </>
  );
}

function Snippets({ query, variables, part }: QueryDialogProps & { part: ReplyPart | null }): JSX.Element {
  return (
    <>
      {part !== null && (
        <p class="muted">The query has more than the figures of this chart. They are a part of its reply.</p>
      )}
      <Snippet title="curl" text={curlOf(query.id, variables, part)} isOpen />
      <Snippet title="SDK" text={sdkOf(query.id, variables, part)} />
      <Snippet title="GraphQL" text={query.text} />
    </>
  );
}

function curlOf(id: string, variables: OrganizationVariables, part: ReplyPart | null): string {
  return [
    `curl '${location.origin}/graphql?org_id=${variables.orgId}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'Authorization: Bearer <access token>' \\`,
    `  -H 'X-Persisted-Query-Id: ${id}' \\`,
    `  -d '${JSON.stringify({ variables }).replaceAll("'", `'\\''`)}'${part === null ? '' : ' \\'}`,
    ...(part === null ? [] : [`  | jq '${part.jq}'`]),
  ].join('\n');
}

function sdkOf(id: string, variables: OrganizationVariables, part: ReplyPart | null): string {
  const json = JSON.stringify(variables, null, 2);
  return [
    `import { createAnalyticsClient, unwrapAnalytics } from '@plumbline/sdk/analytics';`,
    '',
    `const analytics = createAnalyticsClient({ baseUrl: '${location.origin}', accessToken });`,
    `const data = unwrapAnalytics(await analytics.persisted('${id}', ${json}));`,
    ...(part === null ? [] : [`const figures = ${part.js};`]),
  ].join('\n');
}

function Snippet({ title, text, isOpen = false }: { title: string; text: string; isOpen?: boolean }): JSX.Element {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useToday } from '../analytics/calendar.js';
import { useMe } from '../session/queries.js';
import { accessForTools } from '../session/session.js';
import { Page } from '../shell/page.js';
import { CopyButton } from '../ui/copy-button.js';
import { Moment } from '../ui/moment.js';
import { View } from '../ui/view.js';
import { openGraphiql } from './graphiql.js';
import { curlOf, persistedQueries, type PersistedQuery, type Sample } from './persisted.js';

/** For people who write programs: reference, GraphiQL, contracts, an access token, and queries to start from. */
export default function ApiPage(): JSX.Element {
  return (
    <Page title="API" intro="Use the two APIs of this console from your own programs.">
      <View query={useMe()} what="your account">
        {({ org_id }) =>
          org_id === null ? null : (
            <>
              <div class="columns">
                <Explore orgId={org_id} />
                <Contracts />
              </div>
              <Token />
              <PersistedQueries orgId={org_id} />
            </>
          )
        }
      </View>
    </Page>
  );
}

function Explore({ orgId }: { orgId: string }): JSX.Element {
  const [isBlocked, setBlocked] = useState(false);
  return (
    <section class="card">
      <h2>Explore</h2>
      <p>
        GraphiQL asks the Analytics API with your access token. The reference describes every operation of the Platform
        API, and the problems that it answers with.
      </p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => {
            setBlocked(!openGraphiql(orgId));
          }}
        >
          Open GraphiQL
        </button>
        <a class="button" href="/docs" target="_blank" rel="noopener">
          Reference
        </a>
        <a class="button" href="/problems" target="_blank" rel="noopener">
          Problems
        </a>
      </div>
      {isBlocked && <p role="alert">The browser has blocked the window. Allow windows of this site, and try again.</p>}
    </section>
  );
}

function Contracts(): JSX.Element {
  return (
    <section class="card">
      <h2>Contracts</h2>
      <p>Generate a client from them, or check your requests against them.</p>
      <div class="actions">
        <a class="button" href="/openapi.json" download="plumbline-openapi.json">
          OpenAPI (JSON)
        </a>
        <a class="button" href="/graphql/schema" download="plumbline-schema.graphql">
          GraphQL schema
        </a>
      </div>
    </section>
  );
}

function Token(): JSX.Element {
  const [expiresAt, setExpiresAt] = useState<number | null>(null);
  const copyToken = async (): Promise<string | null> => {
    const access = await accessForTools();
    setExpiresAt(access?.expiresAt ?? null);
    return access?.token ?? null;
  };
  return (
    <section class="card">
      <h2>Access token</h2>
      <p>
        Programs send it in the header <code>Authorization: Bearer …</code>. It carries your rights in this
        organization. It stops working when you log out, and expires after a few minutes.
      </p>
      <div class="actions">
        <CopyButton text={copyToken} done="The access token is copied.">
          Copy the access token
        </CopyButton>
        {expiresAt !== null && (
          <span class="muted" role="status">
            Good until <Moment at={new Date(expiresAt).toISOString()} />
          </span>
        )}
      </div>
    </section>
  );
}

function PersistedQueries({ orgId }: { orgId: string }): JSX.Element {
  const sample = { orgId, today: useToday() };
  return (
    <section class="card">
      <h2>Persisted queries</h2>
      <p>
        The server knows these queries by name. Put an access token into the variable <code>ACCESS</code> of your shell,
        and run a command.
      </p>
      <ul class="rows" aria-label="Persisted queries">
        {persistedQueries.map((each) => (
          <li key={each.id}>
            <Query query={each} sample={sample} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Query({ query, sample }: { query: PersistedQuery; sample: Sample }): JSX.Element {
  const curl = curlOf(query, sample, location.origin);
  return (
    <>
      <details class="snippets">
        <summary>
          <code>{query.id}</code>
        </summary>
        <div>
          <pre tabIndex={0} aria-label={`curl for ${query.id}`}>
            {curl}
          </pre>
          <pre tabIndex={0} aria-label={`Text of ${query.id}`}>
            {query.text}
          </pre>
        </div>
      </details>
      <CopyButton text={() => curl} done={`The command for ${query.id} is copied.`} label={`Copy curl for ${query.id}`}>
        Copy curl
      </CopyButton>
    </>
  );
}

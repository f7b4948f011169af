import { QueryClientProvider } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Redirect, Route, Router, Switch } from 'wouter-preact';
import { LogInPage } from '../enter/log-in-page.js';
import { queries, useMe, type Me } from '../session/queries.js';
import { session } from '../session/session.js';
import { useStore } from '../session/store.js';
import { Skeleton, View } from '../ui/view.js';
import { lazy } from './lazy.js';
import { Page } from './page.js';
import { pages, type PageEntry } from './pages.js';
import { Shell } from './shell.js';

const components = new Map(pages.map((page) => [page.path, lazy(page.load)]));

/** The console. */
export function App(): JSX.Element {
  return (
    <QueryClientProvider client={queries}>
      <Router base="/console">
        <Inside />
      </Router>
    </QueryClientProvider>
  );
}

/** The pages behind log-in. Without a session the log-in form stands in their place, at the same address. */
function Inside(): JSX.Element {
  const state = useStore(session);
  if (state.kind === 'starting') return <Skeleton what="the console" />;
  if (state.kind === 'out') return <LogInPage ended={state.ended} />;
  return <SignedIn />;
}

function SignedIn(): JSX.Element {
  return (
    <View query={useMe()} what="your account">
      {(me) => (
        <Shell me={me}>
          <Switch>
            <Route path="/">
              <Redirect to="/overview" replace />
            </Route>
            {pages.map((page) => (
              <Route key={page.path} path={page.path}>
                <Guarded page={page} me={me} />
              </Route>
            ))}
            <Route>
              <Page title="There is no such page">
                <p>Choose a page from the navigation.</p>
              </Page>
            </Route>
          </Switch>
        </Shell>
      )}
    </View>
  );
}

function Guarded({ page, me }: { page: PageEntry; me: Me }): JSX.Element {
  if (page.permission !== null && !me.permissions.includes(page.permission)) {
    return (
      <Page title="This page is not open to you">
        <p>
          It needs the permission <code>{page.permission}</code>, which your role
          {me.role === null ? '' : ` (${me.role})`} does not include. Ask an owner of{' '}
          {me.org_name ?? 'your organization'} for another role.
        </p>
      </Page>
    );
  }
  const Loaded = components.get(page.path);
  return Loaded === undefined ? <></> : <Loaded />;
}

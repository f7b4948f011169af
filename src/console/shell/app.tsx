import { QueryClientProvider } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Redirect, Route, Router, Switch } from 'wouter-preact';
import { waitingInvitation } from '../enter/one-time-token.js';
import { LogInPage } from '../enter/log-in-page.js';
import { queries, useMe, type Me } from '../session/queries.js';
import { proofQuestion } from '../session/proof.js';
import { session, startSession } from '../session/session.js';
import { useStore } from '../session/store.js';
import { ProblemNote } from '../ui/problem-note.js';
import { troubleOf } from '../ui/trouble.js';
import { useRecovery } from '../ui/recovery.js';
import { Skeleton, View } from '../ui/view.js';
import { Entrance } from './entrance.js';
import { lazy } from './lazy.js';
import { Page } from './page.js';
import { appInstallation, entrances, onboarding, pages, type PageEntry } from './pages.js';
import { Shell } from './shell.js';

const components = new Map(
  [...entrances, onboarding, appInstallation, ...pages].map(({ path, load }) => [path, lazy(load)]),
);

/** The console. */
export function App(): JSX.Element {
  return (
    <QueryClientProvider client={queries}>
      <Router base="/console">
        <Switch>
          {entrances.map(({ path }) => (
            <Route key={path} path={path}>
              <Loaded path={path} />
            </Route>
          ))}
          <Route>
            <Inside />
          </Route>
        </Switch>
      </Router>
    </QueryClientProvider>
  );
}

/** The pages that require a session. Without one, the log-in form is shown at the same address. */
function Inside(): JSX.Element {
  const state = useStore(session);
  if (state.kind === 'starting') return <Skeleton what="the console" />;
  if (state.kind === 'unknown') return <CannotStart error={state.error} />;
  if (state.kind === 'out' && state.visit === null) return <LogInPage ended={state.ended} />;
  return (
    <>
      <div key={state.visit} class="visit" hidden={state.kind === 'out'}>
        <SignedIn />
        <Question />
      </div>
      {state.kind === 'out' && <LogInAgain />}
    </>
  );
}

const ProofDialog = lazy(() => import('./proof-dialog.js'));

const MfaMissing = lazy(() => import('../account/mfa-missing-page.js'));

/** The question for a fresh proof, which few people see: its module is loaded for it. */
function Question(): JSX.Element | null {
  return useStore(proofQuestion) === null ? null : <ProofDialog />;
}

/** The log-in form over the pages of a session that has ended: what was entered in their forms is kept. */
function LogInAgain(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal(); // over the dialogs of the page
  }, []);
  return (
    <dialog
      ref={dialog}
      class="log-in-again"
      aria-label="Log in"
      onCancel={(event) => {
        event.preventDefault();
      }}
    >
      <LogInPage ended />
    </dialog>
  );
}

/** The server is unreachable, or refuses for a while: the session is kept. */
function CannotStart({ error }: { error: unknown }): JSX.Element {
  const trouble = troubleOf(error);
  useRecovery(trouble, startSession);
  return (
    <Entrance title="Plumbline">
      <ProblemNote trouble={trouble}>
        <button type="button" onClick={() => void startSession()}>
          Try again
        </button>
      </ProblemNote>
    </Entrance>
  );
}

function SignedIn(): JSX.Element {
  return (
    <View query={useMe()} what="your account">
      {(me) =>
        me.mfa_missing ? (
          <MfaMissing />
        ) : (
          <Switch>
            {[onboarding, appInstallation].map(({ path }) => (
              <Route key={path} path={path}>
                <Loaded path={path} />
              </Route>
            ))}
            <Route>
              <Shell me={me}>
                <Switch>
                  {['/', '/login'].map((path) => (
                    <Route key={path} path={path}>
                      <Redirect to={waitingInvitation.get() === '' ? '/onboarding' : '/accept-invite'} replace />
                    </Route>
                  ))}
                  {pages.map((page) => (
                    <Route key={page.path} path={page.path}>
                      <Guarded page={page} me={me} />
                    </Route>
                  ))}
                  <Route component={NoSuchPage} />
                </Switch>
              </Shell>
            </Route>
          </Switch>
        )
      }
    </View>
  );
}

function NoSuchPage(): JSX.Element {
  return (
    <Page title="There is no such page">
      <p>Choose a page from the navigation.</p>
    </Page>
  );
}

function Guarded({ page, me }: { page: PageEntry; me: Me }): JSX.Element {
  if (page.needsOrganization && me.org_id === null) return <Redirect to="/onboarding" replace />;
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
  return <Loaded path={page.path} />;
}

function Loaded({ path }: { path: string }): JSX.Element {
  const Component = components.get(path) ?? NoSuchPage;
  return <Component />;
}

import { QueryClientProvider } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { useStore } from '../session/store.js';
import { Brand } from '../shell/brand.js';
import { KeyboardHelp } from '../shell/keyboard.js';
import { lazy } from '../shell/lazy.js';
import { Heading, Page } from '../shell/page.js';
import { ThemeChoice } from '../shell/theme-choice.js';
import { ProblemNote } from '../ui/problem-note.js';
import { Toasts } from '../ui/toasts.js';
import { troubleOf } from '../ui/trouble.js';
import { Skeleton } from '../ui/view.js';
import { followEvents } from './events.js';
import { ProjectsPage } from './projects-page.js';
import { queries } from './queries.js';
import { leave, pageState, startSession } from './session.js';

const ProjectPage = lazy(() => import('./project-page.js'));

/** The page of `compose serve --ui`. */
export function App(): JSX.Element {
  return (
    <QueryClientProvider client={queries}>
      <Router base="/ui">
        <Inside />
      </Router>
    </QueryClientProvider>
  );
}

function Inside(): JSX.Element {
  const state = useStore(pageState);
  if (state.kind === 'starting') return <Skeleton what="the page" />;
  if (state.kind === 'out') return <NeedsLink message={state.message} />;
  if (state.kind === 'unknown') return <CannotStart error={state.error} />;
  return (
    <Frame>
      <Switch>
        <Route path="/" component={ProjectsPage} />
        <Route path="/projects/:name">
          <ProjectPage />
        </Route>
        <Route>
          <Page title="There is no such page">
            <p>Go back to the projects.</p>
          </Page>
        </Route>
      </Switch>
    </Frame>
  );
}

function Frame({ children }: { children: ComponentChildren }): JSX.Element {
  useEffect(() => {
    const left = new AbortController();
    void followEvents(left.signal);
    return () => {
      left.abort();
    };
  }, []);
  return (
    <div class="containers">
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <Brand />
        <div class="actions">
          <ThemeChoice />
          <button type="button" onClick={() => void leave()}>
            End session
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <KeyboardHelp />
      <Toasts />
    </div>
  );
}

/** Stands in place of everything where this browser has no session. */
function NeedsLink({ message }: { message: string | null }): JSX.Element {
  return (
    <Outside title="Open this page by its link">
      {message !== null && (
        <div class="banner bad" role="alert">
          <p>{message}</p>
        </div>
      )}
      <p>This browser has no session here. Run this command on the machine of the server, and open its link:</p>
      <pre class="command">plumbline compose ui</pre>
      <p class="muted small">A link works once, for five minutes. A session lasts twelve hours.</p>
    </Outside>
  );
}

/** The server is away: that ends no session. */
function CannotStart({ error }: { error: unknown }): JSX.Element {
  return (
    <Outside title="Containers">
      <ProblemNote trouble={troubleOf(error)}>
        <button type="button" onClick={() => void startSession()}>
          Try again
        </button>
      </ProblemNote>
    </Outside>
  );
}

function Outside({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="entrance">
      <header>
        <Brand />
      </header>
      <main id="main">
        <div class="card">
          <Heading title={title} />
          {children}
        </div>
      </main>
    </div>
  );
}

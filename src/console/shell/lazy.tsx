import type { ComponentType, JSX } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { ProblemNote } from '../ui/problem-note.js';
import { useRecovery } from '../ui/recovery.js';
import { troubleOf, type Trouble } from '../ui/trouble.js';
import { Skeleton } from '../ui/view.js';

type Load = () => Promise<{ readonly default: ComponentType }>;

/** Makes a component of a module that is loaded when it is first shown. */
export function lazy(load: Load): ComponentType {
  let loaded: ComponentType | null = null;
  let loading: Promise<void> | null = null;
  return function Lazy(): JSX.Element {
    const [, setState] = useState(0);
    const [failure, setFailure] = useState<unknown>(null);
    const [broken] = useErrorBoundary() as [unknown, () => void]; // Preact types what was thrown as `any`
    if (failure !== null) {
      return (
        <NotLoaded
          again={() => {
            setFailure(null);
          }}
        />
      );
    }
    if (broken !== undefined) return <Broken error={broken} />;
    if (loaded !== null) {
      const Loaded = loaded;
      return <Loaded />;
    }
    loading ??= load().then((module) => {
      loaded = module.default;
    });
    loading.then(
      () => {
        setState(1);
      },
      (error: unknown) => {
        loading = null;
        setFailure(error);
      },
    );
    return <Skeleton what="the page" />;
  };
}

/** The module of a page could not be loaded: the server is away, or was updated and has other modules now. */
function NotLoaded({ again }: { again: () => void }): JSX.Element {
  const recover = useCallback(async (): Promise<void> => {
    if (!(await isServed())) return;
    // Some browsers remember that a module has failed, and the server may have others now: only a new page loads them.
    if (performance.now() < leastAgeMs) again();
    else loadAgain();
  }, [again]);
  useEffect(() => {
    const retry = (): void => void recover();
    addEventListener('online', retry);
    return () => {
      removeEventListener('online', retry);
    };
  }, [recover]);
  const trouble = {
    ...troubleOf(null),
    title: 'The page could not be loaded',
    message: 'The server cannot be reached, or it was updated.',
    advice: 'Check the connection. The page is loaded as soon as the server answers.',
    passes: true,
  };
  useRecovery(trouble, recover);
  return <Notice trouble={trouble} />;
}

/** A page that was just loaded is not loaded again: a module that never loads would do so without end. */
const leastAgeMs = 15_000;

/** Whether the server answers with the document of the console again. */
async function isServed(): Promise<boolean> {
  return fetch(location.pathname, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** A page that has failed. */
function Broken({ error }: { error: unknown }): JSX.Element {
  const advice = 'Load the page again. If this happens again, tell your operator.';
  return <Notice trouble={{ ...troubleOf(error), advice }} />;
}

function Notice({ trouble }: { trouble: Trouble }): JSX.Element {
  return (
    <div class="page">
      <ProblemNote trouble={trouble}>
        <button type="button" onClick={loadAgain}>
          Load again
        </button>
      </ProblemNote>
    </div>
  );
}

function loadAgain(): void {
  location.reload();
}

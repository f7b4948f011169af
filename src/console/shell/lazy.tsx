import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { ProblemNote } from '../ui/problem-note.js';
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
    if (failure !== null) return <NotLoaded />;
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
function NotLoaded(): JSX.Element {
  useEffect(() => {
    addEventListener('online', loadAgain);
    return () => {
      removeEventListener('online', loadAgain);
    };
  }, []);
  const trouble = {
    ...troubleOf(null),
    title: 'The page could not be loaded',
    message: 'The server cannot be reached, or it was updated.',
    advice: 'Check the connection, and load the page again.',
  };
  return <Notice trouble={trouble} />;
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

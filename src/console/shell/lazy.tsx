import type { ComponentType, JSX } from 'preact';
import { useErrorBoundary, useState } from 'preact/hooks';
import { ProblemNote } from '../ui/problem-note.js';
import { troubleOf } from '../ui/trouble.js';
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
    if (failure !== null || broken !== undefined) return <Broken error={failure ?? broken} />;
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

/** A page that cannot be shown: its module is gone since the server was updated, or it has failed. */
function Broken({ error }: { error: unknown }): JSX.Element {
  const trouble = { ...troubleOf(error), advice: 'Load the page again. If this happens again, tell your operator.' };
  return (
    <div class="page">
      <ProblemNote trouble={trouble}>
        <button
          type="button"
          onClick={() => {
            location.reload();
          }}
        >
          Load again
        </button>
      </ProblemNote>
    </div>
  );
}

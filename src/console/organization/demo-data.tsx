import { unwrap } from '@plumbline/sdk';
import { createDemoData, removeDemoData, type Schemas } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { useDemoData } from '../session/setup.js';
import { Failed } from '../ui/failed.js';
import { View } from '../ui/view.js';

const states: Readonly<Record<Schemas['DemoData']['state'], string>> = {
  absent: 'The organization has no demo data.',
  filling: 'Demo data are being made. This takes a few seconds.',
  present: 'The organization has demo data: four made-up repositories with three months of work.',
  failed: 'The demo data could not be made.',
  removing: 'The demo data are being removed.',
};

/** Made-up data, which can be added and removed in one click. */
export function DemoData(): JSX.Element {
  const demo = useDemoData();
  const change = useMutation({
    mutationFn: async (action: 'fill' | 'remove') => {
      unwrap(action === 'fill' ? await createDemoData(platform) : await removeDemoData(platform));
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <section class="card">
      <h2>Demo data</h2>
      <View query={demo} what="the state of the demo data">
        {({ state, error }) => (
          <>
            <p role="status">{states[state]}</p>
            {error !== null && <p class="muted">{error}</p>}
            <div class="actions">
              {(state === 'absent' || state === 'failed') && (
                <button
                  type="button"
                  aria-disabled={change.isPending}
                  onClick={() => {
                    change.mutate('fill');
                  }}
                >
                  Fill with demo data
                </button>
              )}
              {(state === 'present' || state === 'failed') && (
                <button
                  type="button"
                  aria-disabled={change.isPending}
                  onClick={() => {
                    change.mutate('remove');
                  }}
                >
                  Remove the demo data
                </button>
              )}
            </div>
          </>
        )}
      </View>
      <Failed mutation={change} />
    </section>
  );
}

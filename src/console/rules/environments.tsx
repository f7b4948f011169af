import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../ui/copy-button.js';
import { count } from '../ui/count.js';
import { Lines, linesOf } from '../ui/fields.js';
import { valuesOf } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { View } from '../ui/view.js';
import { useEnvironments, type Environment } from './queries.js';

/** Environments of each kind that are shown at once. */
const mostShown = 100;

export interface EnvironmentsProps {
  readonly orgId: string;
  readonly mayWrite: boolean;
}

/** Which environments count as production, by the rules or by patterns that are tried. */
export function Environments({ orgId, mayWrite }: EnvironmentsProps): JSX.Element {
  const [patterns, setPatterns] = useState<readonly string[]>([]);
  const isPreview = patterns.length > 0;
  return (
    <section class="card">
      <h2>Environments</h2>
      <p>
        The four keys count deployments to production. The list <code>production</code> of the rules file names it;
        without one, words in the names decide.
      </p>
      {mayWrite && <PatternForm onPatterns={setPatterns} />}
      {isPreview && <Preview patterns={patterns} />}
      <View
        query={useEnvironments(orgId, patterns)}
        what="the environments"
        empty={(all) =>
          all.length > 0
            ? null
            : { title: 'No deployments are stored', text: 'Sync deployments, to see what code is deployed to.' }
        }
      >
        {(all) => (
          <>
            <Kind title="Production" items={all.filter((each) => each.is_production)} />
            <Kind title="Not production" items={all.filter((each) => !each.is_production)} />
          </>
        )}
      </View>
    </section>
  );
}

/** Patterns to try. Nothing is stored. */
function PatternForm({ onPatterns }: { readonly onPatterns: (patterns: readonly string[]) => void }): JSX.Element {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onPatterns(linesOf(valuesOf(event.currentTarget)['production']));
      }}
      onReset={() => {
        onPatterns([]);
      }}
    >
      <Lines
        name="production"
        label="Patterns of production to try, one a line"
        placeholder={'eu-*\n!*-test'}
        hint="* stands for any text. tier:, branch: and job: before a pattern make it one of those; ! before all excepts."
        required={false}
      />
      <div class="actions">
        <button type="submit">Preview</button>
        <button type="reset">Show what the rules say</button>
      </div>
    </form>
  );
}

function Preview({ patterns }: { readonly patterns: readonly string[] }): JSX.Element {
  // JSON is YAML, too.
  const line = `production: ${JSON.stringify(patterns)}`;
  return (
    <div class="banner" role="status">
      <p>
        This is a preview. To use the patterns, put this line into the rules file: <code class="break">{line}</code>
      </p>
      <CopyButton text={() => line} done="The line is copied.">
        Copy the line
      </CopyButton>
    </div>
  );
}

function Kind({ title, items }: { readonly title: string; readonly items: readonly Environment[] }): JSX.Element {
  const others = items.length - mostShown;
  return (
    <>
      <h3>
        {title} ({items.length})
      </h3>
      <ul class="rows" aria-label={title}>
        {items
          .slice(0, mostShown)
          .map(({ name, deployments, production_deployments: counted, last_deployed_at: last }) => (
            <li key={name}>
              <span class="break grow">{name === '' ? <em>without a name</em> : name}</span>
              <span class="small muted">
                {count(deployments, 'deployment', 'deployments')}
                {counted > 0 && counted < deployments && <>, {counted} of them to production</>}
                {last !== null && (
                  <>
                    , the last <Moment at={last} />
                  </>
                )}
              </span>
            </li>
          ))}
      </ul>
      {others > 0 && <p class="small muted">and {count(others, 'other', 'others')}</p>}
    </>
  );
}

import { unwrap } from '@plumbline/sdk';
import { getRulePreview, getRuleSuggestions, importRules, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { dayOf, numberOf, unitsOf } from '../charts/words.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { count } from '../ui/count.js';
import { Select } from '../ui/fields.js';
import { Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { labelOf, type Subcategory } from './subcategories.js';

type Suggestion = Schemas['RuleSuggestion'];
type Preview = Schemas['RulePreview'];

export interface AlwaysLikeThisProps {
  readonly orgId: string;
  readonly unitId: string;
  /** What the unit was corrected to. */
  readonly subcategory: Subcategory;
}

/** Makes a rule of a correction: one of those that the server suggests, with what it would change. */
export function AlwaysLikeThis(props: AlwaysLikeThisProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => {
    if (details.current === null) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus(); // the button that had the focus is gone
  };
  return (
    <details
      ref={details}
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open);
      }}
    >
      <summary>Always classify like this</summary>
      {isOpen && <Suggestions {...props} onStored={close} />}
    </details>
  );
}

type Stored = AlwaysLikeThisProps & { readonly onStored: () => void };

function Suggestions(props: Stored): JSX.Element {
  const { orgId, unitId, subcategory } = props;
  const suggested = useQuery({
    queryKey: ['rule-suggestions', orgId, unitId, subcategory],
    queryFn: async ({ signal }) =>
      unwrap(
        await getRuleSuggestions(platform, {
          ...{ params: { org_id: orgId }, query: { unit_id: unitId, subcategory }, signal },
        }),
      ),
  });
  return (
    <View
      query={suggested}
      what="the suggested rules"
      empty={({ suggestions }) =>
        suggestions.length > 0
          ? null
          : {
              title: 'No rule fits',
              text: 'The work unit has nothing that a rule could look for, or other rules decide.',
            }
      }
    >
      {({ suggestions, by_rules: byRules }) => (
        <div class="stack">
          <p class="small muted">
            A rule of your organization gives all work like this the subcategory {labelOf(subcategory)}.
            {byRules === subcategory && ' The rules classify this work unit so already.'}
          </p>
          <Choice {...props} suggestions={suggestions} />
        </div>
      )}
    </View>
  );
}

function Choice({ suggestions, ...props }: Stored & { readonly suggestions: readonly Suggestion[] }): JSX.Element {
  const [name, setName] = useState<string | null>(null);
  const chosen = suggestions.find((each) => each.name === name) ?? suggestions[0];
  return (
    <>
      <Select
        name="rule"
        label="Work that is like this has"
        options={Object.fromEntries(suggestions.map((each) => [each.name, wordsFor(each)]))}
        {...(chosen !== undefined && { value: chosen.name })}
        onChange={setName}
      />
      {chosen !== undefined && <Chosen {...props} suggestion={chosen} />}
    </>
  );
}

/** What is before and after the pattern of each list. */
const words: Readonly<Record<Suggestion['list'], (pattern: string) => string>> = {
  labels: (pattern) => `the label “${pattern}”`,
  scopes: (pattern) => `the scope “${pattern}” in its title`,
  types: (pattern) => `the type “${pattern}” in its title`,
  paths: (pattern) => `files in ${pattern}`,
  starts: (pattern) => `a title that begins with “${pattern}”`,
  keywords: (pattern) => `“${pattern}” in its title or text`,
};

function wordsFor({ list, pattern }: Suggestion): string {
  return words[list](pattern);
}

function usePreview(orgId: string, subcategory: Subcategory, suggestion: Suggestion): UseQueryResult<Preview> {
  const { list, pattern, name, weight } = suggestion;
  return useQuery({
    queryKey: ['rule-preview', orgId, subcategory, suggestion],
    gcTime: 0, // it depends on the stored rules
    queryFn: async ({ signal }) => {
      const query = { name, gives: subcategory, weight, [list]: [pattern] };
      return unwrap(await getRulePreview(platform, { params: { org_id: orgId }, query, signal }));
    },
  });
}

function Chosen({
  orgId,
  subcategory,
  suggestion,
  onStored,
}: Stored & { readonly suggestion: Suggestion }): JSX.Element {
  const query = usePreview(orgId, subcategory, suggestion);
  return (
    <View query={query} what="the preview">
      {(preview) => (
        <>
          <Previewed preview={preview} />
          <Form
            button="Store the rule"
            blocked={query.isFetching} // the file and its revision may be about to change
            send={async () => {
              const { file, revision } = preview;
              const reply = await importRules(platform, { params: { org_id: orgId }, body: { file, revision } });
              // Others have stored rules meanwhile: the preview is about theirs from now on.
              if (!reply.ok && reply.problem.status === 409) void query.refetch({ cancelRefetch: false });
              return reply;
            }}
            done={() => {
              announce('The rule is stored. Work units are classified again in the background.');
              // There is nothing to preview any more: a stored rule cannot be added once again.
              void queries.invalidateQueries({ predicate: ({ queryKey: [what] }) => what !== 'rule-preview' });
              onStored();
            }}
          >
            {null}
          </Form>
        </>
      )}
    </View>
  );
}

/** What a rule would change. It says how much was looked at: the rest is unknown. */
function Previewed({ preview }: { readonly preview: Preview }): JSX.Element {
  const { start_date: start, units, examined, changed, changes, examples, corrections } = preview;
  const others = units - examined;
  return (
    <div class="stack" role="status">
      <p>
        <strong>
          {changed === 0 ? 'None' : numberOf(changed)} of {unitsOf(examined)}
        </strong>{' '}
        since {dayOf(start)} would change.
        {others > 0 && ` ${numberOf(others)} more were not looked at: they are older, or their records are gone.`}
      </p>
      {changes.length > 0 && (
        <ul class="plain small">
          {changes.map(({ from, to, units: number }) => (
            <li key={`${from} ${to}`}>
              {numberOf(number)} from {labelOf(from)} to {labelOf(to)}
            </li>
          ))}
        </ul>
      )}
      {examples.length > 0 && (
        <details>
          <summary>{examples.length < changed ? `The latest ${numberOf(examples.length)}` : 'Which ones'}</summary>
          <ul class="plain small">
            {examples.map(({ unit_id: id, title, from }) => (
              <li key={id} class="break">
                {title} <span class="muted">(now {labelOf(from)})</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p>{agreementOf(corrections)}</p>
    </div>
  );
}

function agreementOf({ total, examined, agreeing, disagreeing }: Preview['corrections']): string {
  const rest = total - examined;
  const unknown = rest === 0 ? '' : ` ${count(rest, 'other was', 'others were')} not looked at.`;
  if (agreeing + disagreeing === 0)
    return `The rule is about none of the ${numberOf(examined)} corrected work units.${unknown}`;
  return `Of the corrected work units, ${numberOf(agreeing)} would agree with the rule and ${numberOf(disagreeing)} would not.${unknown}`;
}

import { unwrap } from '@plumbline/sdk';
import { listRepositories } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { linesOf } from '../ui/fields.js';
import { Labelled } from '../ui/form.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';
import { codeHosts, sourceOf, type Provider } from './words.js';

/** Typing pauses for this long before the search begins. */
const pauseMs = 250;
const pageSize = 50;

export interface RepositoriesProps {
  readonly provider: Provider;
  /** Through which a code host is asked; null: there is none. */
  readonly integrationId: string | null;
  readonly value?: readonly string[];
}

/** The repositories of a sync: chosen from a list that can be searched, or entered as names and patterns. */
export function Repositories({ provider, integrationId, value = [] }: RepositoriesProps): JSX.Element {
  const [text, setText] = useState(value.join('\n'));
  const chosen = linesOf(text);
  const canList = integrationId !== null || !Object.hasOwn(codeHosts, provider);
  return (
    <>
      <Labelled
        name="repositories"
        label="Repositories"
        hint={
          provider === 'local'
            ? 'One folder a line, below the folder that the operator has opened (SYNC_LOCAL_ROOT). * stands for any text.'
            : 'One owner/name a line. * stands for any text: example/* is every repository of example, and !example/old-* leaves some of them out.'
        }
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={Math.min(12, Math.max(4, chosen.length + 1))}
            spellcheck={false}
            placeholder={sourceOf(provider)?.example}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
            }}
            required
          />
        )}
      </Labelled>
      {canList && (
        <Picker
          key={`${provider} ${integrationId}`}
          provider={provider}
          integrationId={integrationId}
          chosen={chosen}
          onChange={(names) => {
            setText(names.join('\n'));
          }}
        />
      )}
    </>
  );
}

interface PickerProps {
  readonly provider: Provider;
  readonly integrationId: string | null;
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** A list of repositories that can be searched; it is loaded when it is unfolded. */
function Picker(props: PickerProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>Choose from a list</summary>
      {isOpen && <RepositoryList {...props} />}
    </details>
  );
}

function RepositoryList({ provider, integrationId, chosen, onChange }: PickerProps): JSX.Element {
  const id = useId();
  const [typed, setTyped] = useState('');
  const search = usePaused(typed.trim());
  const found = usePaged({
    queryKey: ['repositories', provider, integrationId, search],
    pageSize,
    load: async (page, signal) =>
      unwrap(
        await listRepositories(platform, {
          signal,
          query: {
            provider,
            ...(integrationId !== null && { integration_id: integrationId }),
            ...(search !== '' && { query: search }),
            ...page,
          },
        }),
      ),
  });
  return (
    <div class="stack picker">
      <div class="field">
        <label for={id}>Search</label>
        <input
          id={id}
          type="search"
          autocomplete="off"
          maxLength={100}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault(); // it would send the form
          }}
        />
      </div>
      <View
        query={found}
        what="the repositories"
        empty={({ pages }) =>
          pages.some(({ items, next_cursor }) => items.length > 0 || next_cursor !== null)
            ? null
            : {
                title: search === '' ? 'There is no repository' : 'No repository matches',
                text:
                  provider === 'local'
                    ? 'The operator opens a folder of the server (SYNC_LOCAL_ROOT) to organizations by their ids (SYNC_LOCAL_ORGANIZATIONS).'
                    : 'You can enter names and patterns above.',
              }
        }
      >
        {({ pages }) => (
          <>
            <ul class="plain choices" aria-label="Repositories found">
              {pages
                .flatMap(({ items }) => items)
                .map(({ name, is_private, is_archived }) => (
                  <li key={name}>
                    <label class="choice">
                      <input
                        type="checkbox"
                        checked={chosen.includes(name)}
                        onChange={({ currentTarget }) => {
                          const others = chosen.filter((each) => each !== name);
                          onChange(currentTarget.checked ? [...others, name] : others);
                        }}
                      />
                      <span class="break">
                        {name} {is_private === true && <span class="tag">private</span>}{' '}
                        {is_archived === true && <span class="tag">archived</span>}
                      </span>
                    </label>
                  </li>
                ))}
            </ul>
            <More query={found}>Show more repositories</More>
          </>
        )}
      </View>
    </div>
  );
}

/** The value once it has stayed the same for a moment. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setPaused(value);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return paused;
}

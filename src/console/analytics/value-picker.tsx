import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../charts/words.js';
import { mostValues, useValues, type Dimension } from './client.js';

/** One value of a dimension: a repository, an author, a team. */
export interface Choice {
  readonly dimension: Dimension;
  readonly value: string;
}

export interface ValuePickerProps {
  readonly orgId: string;
  readonly label: string;
  /** What can be chosen, with the heading of its group. */
  readonly groups: readonly { readonly dimension: Dimension; readonly label: string }[];
  readonly chosen: Choice | null;
  /** What it says when nothing is chosen. */
  readonly none: string;
  /** Whether nothing can be chosen. */
  readonly canClear: boolean;
  readonly onPick: (choice: Choice | null) => void;
}

/**
 * Chooses a value out of any number: the server searches them, and answers the most frequent ones of those that match.
 * It is a combobox with a list (WAI-ARIA Authoring Practices, "Editable Combobox With List Autocomplete").
 */
export function ValuePicker(props: ValuePickerProps): JSX.Element {
  const { orgId, label, groups, chosen, none, canClear, onPick } = props;
  const [inputId, listId] = [useId(), useId()];
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLDivElement>(null);
  const search = useSettled(text.trim());
  const [first, second, third] = groups;
  // Hooks are called in the same number always; a group that is not there is not asked for.
  const found = [
    useValues(orgId, first?.dimension ?? null, search, isOpen),
    useValues(orgId, second?.dimension ?? null, search, isOpen),
    useValues(orgId, third?.dimension ?? null, search, isOpen),
  ];
  const listed = groups.map((group, at) => ({
    ...group,
    values: (found[at]?.data ?? []).filter(({ value }) => value !== '').map(({ value }) => value),
  }));
  const options: readonly (Choice | null)[] = [
    ...(canClear && search === '' ? [null] : []),
    ...listed.flatMap(({ dimension, values }) => values.map((value) => ({ dimension, value }))),
  ];
  const idOf = (at: number): string => `${listId}-${at}`;
  const close = (): void => {
    setOpen(false);
    setText('');
    setActive(-1);
  };
  const pick = (choice: Choice | null): void => {
    close();
    onPick(choice);
  };
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setOpen(true);
      setActive((before) => Math.min(options.length - 1, Math.max(0, before + step)));
    } else if (event.key === 'Enter' && isOpen) {
      const option = options[active];
      if (option !== undefined) pick(option);
    } else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault(); // the form is not sent, and the dialog around it stays open
  };
  let at = canClear && search === '' ? 1 : 0;
  const isLoading = isOpen && found.some(({ isFetching }) => isFetching);
  return (
    <div class="field picker">
      <label for={inputId}>{label}</label>
      <input
        id={inputId}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={listId}
        {...(active >= 0 && { 'aria-activedescendant': idOf(active) })}
        placeholder={isOpen ? 'Type to search …' : none}
        value={isOpen || chosen === null ? text : wordsOf(chosen.dimension, chosen.value)}
        onFocus={() => {
          setOpen(true);
        }}
        onClick={() => {
          setOpen(true);
        }}
        onBlur={close}
        onInput={({ currentTarget }) => {
          setOpen(true);
          setText(currentTarget.value);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="picker-list" hidden={!isOpen}>
        {/* A press on an option must not take the focus, which would close the list. */}
        <div
          ref={list}
          id={listId}
          role="listbox"
          aria-label={label}
          onMouseDown={(event) => {
            event.preventDefault();
          }}
        >
          {canClear && search === '' && (
            <div
              id={idOf(0)}
              role="option"
              aria-selected={active === 0}
              onClick={() => {
                pick(null);
              }}
            >
              {none}
            </div>
          )}
          {listed.map(({ dimension, label: heading, values }) =>
            values.length === 0 ? null : (
              <div key={dimension} role="group" aria-label={heading}>
                <p aria-hidden="true">{heading}</p>
                {values.map((value) => {
                  const index = at++;
                  return (
                    <div
                      key={value}
                      id={idOf(index)}
                      role="option"
                      aria-selected={active === index}
                      onClick={() => {
                        pick({ dimension, value });
                      }}
                    >
                      {wordsOf(dimension, value)}
                    </div>
                  );
                })}
              </div>
            ),
          )}
        </div>
        <p class="small muted" role="status">
          {isOpen && noteOf(listed, isLoading)}
        </p>
      </div>
    </div>
  );
}

function noteOf(listed: readonly { readonly values: readonly string[] }[], isLoading: boolean): string {
  if (listed.some(({ values }) => values.length >= mostValues)) return 'There are more. Type to find them.';
  if (listed.some(({ values }) => values.length > 0)) return '';
  return isLoading ? 'Searching …' : 'Nothing matches.';
}

/** A text once it has not changed for a moment: a person who types does not ask for each letter. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(text);
    }, 200);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return settled;
}

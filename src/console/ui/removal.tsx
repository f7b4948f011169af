import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from './dialog.js';
import { Failed } from './failed.js';
import { announce } from './toasts.js';

interface RemovalOptions<Item> {
  /** How a person calls the item. */
  readonly nameOf: (item: Item) => string;
  /** The label of the button: "Delete". */
  readonly button: string;
  /** What it means. */
  readonly text: string;
  /** Said afterwards of the name: "is deleted". */
  readonly done: string;
  readonly remove: (item: Item) => Promise<void>;
  /** Asks for the list again. */
  readonly refresh: () => Promise<void>;
}

export interface Removal<Item> {
  /** Asks whether to remove an item. */
  readonly ask: (item: Item) => void;
  /** The question, and why a removal failed. */
  readonly parts: JSX.Element;
}

/** Removes items of a list, after a question. */
export function useRemoval<Item>(options: RemovalOptions<Item>): Removal<Item> {
  const { nameOf, button, text, done, remove, refresh } = options;
  const [asked, setAsked] = useState<Item | null>(null);
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: (_nothing, item) => {
      announce(`${nameOf(item)} ${done}.`);
    },
    onSettled: refresh,
  });
  return {
    ask: (item) => {
      removal.reset();
      setAsked(() => item);
    },
    parts: (
      <>
        <Failed mutation={removal} />
        <Confirm
          title={`${button} ${asked === null ? '' : nameOf(asked)}?`}
          text={text}
          button={button}
          open={asked !== null}
          onClose={() => {
            setAsked(null);
          }}
          onConfirm={() => {
            if (asked !== null) removal.mutate(asked);
          }}
        />
      </>
    ),
  };
}

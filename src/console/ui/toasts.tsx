import type { JSX } from 'preact';
import { createStore, useStore } from '../session/store.js';

const shownMs = 6000;
const toasts = createStore<readonly { readonly id: number; readonly text: string }[]>([]);
let lastId = 0;

/** Says for a few seconds that something was done. */
export function announce(text: string): void {
  const id = ++lastId;
  toasts.set([...toasts.get(), { id, text }]);
  setTimeout(() => {
    toasts.set(toasts.get().filter((each) => each.id !== id));
  }, shownMs);
}

/** Where announcements are shown, and read out by screen readers. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text }) => (
        <p class="toast" key={id}>
          {text}
        </p>
      ))}
    </div>
  );
}

import { Fragment, type JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.js';

const shortcuts = [
  ['?', 'Show this help'],
  ['/', 'Go to the search or filter of the page'],
  ['Esc', 'Close a dialog or a menu'],
  ['Tab', 'Go to the next link, button or field'],
] as const;

/** Where `/` leads: the search field of the page, else the first field of its filter. */
const searchFields = [
  'main input[type="search"]',
  'main .filters :is(input, select)',
  'main .filter :is(input, select)',
];

/** Listens for the console's keys: `?` opens the help, `/` goes to the search or filter. */
export function KeyboardHelp(): JSX.Element {
  const [open, setOpen] = useState(false);
  // Before the page is painted: a key that is pressed as soon as the page shows counts.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setOpen(true);
      else if (event.key === '/') {
        const fields = searchFields.map((each) => document.querySelector<HTMLElement>(each));
        const search = fields.find((each) => each !== null);
        if (search === undefined) return;
        search.focus();
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
    };
  }, []);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <Dialog title="Keyboard" open={open} onClose={close}>
      <dl class="facts">
        {shortcuts.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

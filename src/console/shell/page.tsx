import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface HeadingProps {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly intro?: ComponentChildren;
}

export interface PageProps extends HeadingProps {
  /** Buttons and links beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page in the shell: heading, document title, and the focus after navigation. */
export function Page({ title, intro, actions, children }: PageProps): JSX.Element {
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <Heading title={title} />
          {intro !== undefined && <p>{intro}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** The first heading of the first page leaves the focus where the browser has put it. */
let isFirst = true;

/** The heading of a page. It names the document, and takes the focus after navigation, so that it is read out. */
export function Heading({ title }: { title: string }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Plumbline`;
  }, [title]);
  useEffect(() => {
    if (!isFirst && document.activeElement?.matches('input') !== true) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

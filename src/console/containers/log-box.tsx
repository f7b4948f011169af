import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export type LogBoxProps = ({ readonly label: string } | { readonly labelledBy: string }) & {
  /** Another value than before: something was printed. */
  readonly newest: unknown;
  readonly children: ComponentChildren;
};

/** A box with output. It scrolls to new lines unless the user has scrolled up. */
export function LogBox({ newest, children, ...name }: LogBoxProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest]);
  return (
    <div
      class="output"
      role="log"
      {...('label' in name ? { 'aria-label': name.label } : { 'aria-labelledby': name.labelledBy })}
      tabIndex={0}
      ref={box}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
      }}
    >
      {children}
    </div>
  );
}

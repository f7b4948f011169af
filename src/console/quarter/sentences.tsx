import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Sentence } from './sentence.js';

/** The words of a sentence, with its figures as links. */
export function Words({ of: parts }: { of: Sentence }): JSX.Element {
  return (
    <>
      {parts.map((part, at) =>
        typeof part === 'string' ? (
          part
        ) : (
          <Link key={at} href={part.href}>
            {part.text}
          </Link>
        ),
      )}
    </>
  );
}

/** Sentences below each other. */
export function Sentences({ list }: { list: readonly Sentence[] }): JSX.Element {
  return (
    <ul class="sentences">
      {list.map((parts, at) => (
        <li key={at}>
          <Words of={parts} />
        </li>
      ))}
    </ul>
  );
}

export interface SectionProps {
  readonly title: string;
  /** What the section is about, or why something is missing in it. */
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}

/** A part of the page with a heading. */
export function Section({ title, note, children }: SectionProps): JSX.Element {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
      {note !== undefined && <p class="small muted">{note}</p>}
    </section>
  );
}

import type { JSX } from 'preact';

const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** A time of this day, by the browser's locale, with its zone. */
export const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** A point in time (ISO 8601) as a text, by the browser's locale, with its zone. */
export function momentOf(at: string): string {
  return moment.format(new Date(at));
}

/** The same as an element. */
export function Moment({ at }: { at: string }): JSX.Element {
  return <time dateTime={at}>{momentOf(at)}</time>;
}

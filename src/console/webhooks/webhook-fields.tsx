import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Choices } from '../ui/fields.js';
import { Field } from '../ui/form.js';
import type { Webhook } from './queries.js';
import { eventMeanings } from './words.js';

export type SubscribedEvent = Schemas['SubscribedEvent'];

export interface WebhookFieldsProps {
  /** What is changed; undefined: a new one. */
  readonly webhook?: Webhook;
  readonly events: readonly SubscribedEvent[];
  readonly onEvents: (events: readonly SubscribedEvent[]) => void;
}

/** The URL, the events and the description of a webhook. */
export function WebhookFields({ webhook, events, onEvents }: WebhookFieldsProps): JSX.Element {
  return (
    <>
      <Field
        name="url"
        label="URL"
        type="url"
        hint="Receives events by POST. It needs a public address, unless your operator allows its network."
        maxLength={2000}
        autocomplete="off"
        {...(webhook !== undefined && { value: webhook.url })}
        required
      />
      <Choices name="events" label="Events" options={eventMeanings} value={events} isList onChange={onEvents} />
      <Field
        name="description"
        label="Description"
        hint="What it is for. It can be left empty."
        maxLength={200}
        autocomplete="off"
        value={webhook?.description ?? ''}
      />
    </>
  );
}

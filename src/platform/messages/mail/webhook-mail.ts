import { plainName, type Wording } from './wording.js';

/** Tells an admin that the server has deactivated a webhook. */
export interface WebhookMail {
  readonly kind: 'webhook_deactivated';
  /** The page of the webhooks in the console. */
  readonly link: string;
  readonly organization: string;
  /** The host of its URL. */
  readonly host: string;
  /** Whether the URL answered 410, or accepted nothing for days. */
  readonly reason: 'gone' | 'failing';
}

export function webhookWording({ organization, host, reason }: WebhookMail): Wording {
  const name = plainName(organization);
  const receiver = plainName(host);
  const cause =
    reason === 'gone'
      ? 'Its URL answers that it is gone (410).'
      : 'Its URL has accepted nothing for three days, though every event was attempted for about a day.';
  return {
    subject: `A webhook of ${name} is inactive now`,
    lines: [
      `The webhook of ${name} that sends to ${receiver} is inactive now. ${cause}`,
      'It gets no new events. Events that it did not accept are kept for some weeks: when its URL answers again, ' +
        'activate the webhook and send them again.',
      'You get this mail because you are an owner or an admin. The page of the webhooks says more:',
    ],
    action: 'Open the webhooks',
  };
}

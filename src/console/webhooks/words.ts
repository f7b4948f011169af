import type { Schemas } from '@plumbline/sdk/platform';

/** When each event is sent. */
export const eventMeanings: Readonly<Record<Schemas['SubscribedEvent'], string>> = {
  'analytics.threshold_crossed': 'analytics.threshold_crossed – a sync run crosses a threshold',
  'audit.recorded': 'audit.recorded – a record is added to the audit log',
  'integration.failed': 'integration.failed – a code host refuses its token or cannot be reached',
  'invite.accepted': 'invite.accepted – somebody accepts an invitation',
  'member.joined': 'member.joined – somebody joins the organization',
  'member.removed': 'member.removed – somebody leaves or is removed',
  'service_token.created': 'service_token.created – a service token is created',
  'sync_run.finished': 'sync_run.finished – a sync run ends',
};

/** What is measured, with its unit. */
export const measures: Readonly<Record<Schemas['ThresholdMeasure'], string>> = {
  count: 'Work units',
  throughput: 'Completed work units',
  cycle_time_hours: 'Mean cycle time in hours',
  churn_loc: 'Lines changed',
};

/** On which side of the value a threshold is crossed. */
export const directions: Readonly<Record<Schemas['ThresholdDirection'], string>> = {
  above: 'above',
  below: 'below',
};

/** Why the server has deactivated a webhook. */
export const inactiveReasons: Readonly<Record<'gone' | 'failing', string>> = {
  gone: 'The server has deactivated it, because its URL answered 410 (gone).',
  failing: 'The server has deactivated it, because its URL has accepted nothing for 3 days.',
};

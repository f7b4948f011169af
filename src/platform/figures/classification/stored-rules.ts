/** The stored rules of an organization, as what is derived from them needs them. */
import { createHash } from 'node:crypto';
import { inSlices } from '@plumbline/contract/system/slices';
import { timeZoneOf } from '../../../analytics/time-zone.js';
import { organizationRulesSteps } from '../../../sync/work-units/classify/organization-rules.js';
import type { OrganizationRules } from '../../../sync/work-units/classify/rules.js';
import type { DerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { storedCalendar } from '../../../sync/work-units/stored-calendar.js';

const noRules: OrganizationRules = {
  rules: [],
  delivery: { production: null, incidents: null, failures: null },
  fingerprint: '',
};

/** The text of the rules, which is empty without any, and the rules in it. */
export async function readStoredRules({ records, orgId }: Pick<DerivationResources, 'records' | 'orgId'>): Promise<{
  readonly text: string;
  readonly rules: OrganizationRules;
}> {
  const text = (await records.readFile('rules', orgId)) ?? '';
  return { text, rules: text === '' ? noRules : await inSlices(organizationRulesSteps(text, 'The stored file')) };
}

/** Names a text of rules, so that a change of another text can be refused. */
export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const dayMs = 86_400_000;

/** The first of the last days, with today, in the time zone of the organization. */
export async function firstDay(
  resources: Pick<DerivationResources, 'records' | 'orgId'>,
  days: number,
  now: Date,
): Promise<string> {
  const { timeZone } = await storedCalendar(resources);
  return timeZoneOf(timeZone).dayOf(now.getTime() - (days - 1) * dayMs);
}

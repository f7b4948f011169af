/** What an organization takes for production, for an incident and for a repair: the figures of delivery follow from it. */
import { createHash } from 'node:crypto';
import { incidentsBy, type Incidents } from './incidents.js';
import { productionBy, type Production } from './production.js';
import { repairsBy, type Repairs } from './repairs.js';

/** The patterns of an organization; null: it has none of that kind. */
export interface DeliveryPatterns {
  readonly production: readonly string[] | null;
  readonly incidents: readonly string[] | null;
  readonly failures: readonly string[] | null;
}

export interface DeliveryRules {
  readonly production: Production;
  readonly incidents: Incidents;
  readonly repairs: Repairs;
  /** Differs if a decision may differ. */
  readonly fingerprint: string;
}

export function deliveryRulesBy({ production, incidents, failures }: DeliveryPatterns): DeliveryRules {
  const rules = {
    production: productionBy(production),
    incidents: incidentsBy(incidents),
    repairs: repairsBy(failures),
  };
  const parts = [rules.production, rules.incidents, rules.repairs].map(({ fingerprint }) => fingerprint);
  return { ...rules, fingerprint: createHash('sha256').update(parts.join(' ')).digest('hex') };
}

/** What applies to organizations that name nothing. */
export const usualDelivery: DeliveryRules = deliveryRulesBy({ production: null, incidents: null, failures: null });

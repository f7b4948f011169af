/** Which issues are incidents: those that the host calls so, or those that an organization names. */
import { FactPatterns } from './fact-patterns.js';

/** What decides whether an issue is an incident. */
export interface ReportedIssue {
  /** The type, as the host names it. An issue of GitHub with the label `incident` has that type. */
  readonly type: string;
  readonly title: string;
  readonly labels: readonly string[];
  readonly severity: string | null;
}

/** Decides which issues are incidents. */
export interface Incidents {
  includes(issue: ReportedIssue): boolean;
  /** Differs if the decision may differ. */
  readonly fingerprint: string;
}

/** What is an incident if an organization does not name them. */
export const usualIncidents: Incidents = { fingerprint: 'usual', includes: ({ type }) => type === 'incident' };

/**
 * Incidents as an organization names them.
 *
 * @param patterns of labels, `type:`, `title:` and `severity:`. Null: the organization names none
 */
export function incidentsBy(patterns: readonly string[] | null): Incidents {
  if (patterns === null) return usualIncidents;
  const chosen = new FactPatterns(patterns, ['label', 'type', 'title', 'severity'], 'label');
  return {
    fingerprint: chosen.fingerprint,
    includes: ({ type, title, labels, severity }) =>
      chosen.includes({ label: labels, type: [type], title: [title], severity: [severity] }),
  };
}

import { describe, expect, it } from 'vitest';
import { incidentsBy, usualIncidents, type ReportedIssue } from '../../../src/sync/work-units/classify/incidents.js';
import { noRepairs, repairsBy } from '../../../src/sync/work-units/classify/repairs.js';

function issue(changes: Partial<ReportedIssue>): ReportedIssue {
  return { type: 'issue', title: 'Logins fail', labels: [], severity: null, ...changes };
}

describe('without rules of the organization', () => {
  it('what the host calls an incident is one', () => {
    expect(usualIncidents.includes(issue({ type: 'incident' }))).toBe(true);
    expect(usualIncidents.includes(issue({ labels: ['sev1'], title: 'Incident: logins fail' }))).toBe(false);
  });

  it('no request shows that a deployment failed', () => {
    expect(noRepairs.includes({ title: 'Revert "x"', labels: ['hotfix'], branch: 'hotfix/x' })).toBe(false);
  });
});

describe('incidents as an organization names them', () => {
  const incidents = incidentsBy(['sev*', 'type:incident', 'title:*outage*', 'severity:critical', '!label:drill']);

  it.each<[Partial<ReportedIssue>, boolean]>([
    [{ labels: ['bug', 'SEV1'] }, true],
    [{ labels: ['bug'] }, false],
    [{ type: 'incident' }, true],
    [{ title: 'An OUTAGE of logins' }, true],
    [{ severity: 'critical' }, true],
    [{ severity: 'low' }, false],
    [{ type: 'incident', labels: ['drill'] }, false],
  ])('%o: %s', (changes, expected) => {
    expect(incidents.includes(issue(changes))).toBe(expected);
  });

  it('can leave out what the host calls so', () => {
    expect(incidentsBy(['outage']).includes(issue({ type: 'incident' }))).toBe(false);
  });
});

describe('repairs as an organization names them', () => {
  const repairs = repairsBy(['hotfix', 'title:revert *', 'branch:hotfix/*', 'deployment:rollback', '!title:*docs*']);

  it.each([
    ['Mend it', ['Hotfix'], null, true],
    ['Revert "feat: a thing"', [], 'main', true],
    ['Mend it', [], 'hotfix/logins', true],
    ['Mend it', ['bug'], 'fix/logins', false],
    ['Revert "docs: a thing"', [], null, false],
  ])('"%s" with the labels %o from %s: %s', (title, labels, branch, expected) => {
    expect(repairs.includes({ title, labels, branch })).toBe(expected);
  });

  it('distinguish rollbacks from requests', () => {
    expect(repairs).toMatchObject({ countRollbacks: true, countRequests: true });
    expect(repairsBy(['deployment:rollback'])).toMatchObject({ countRollbacks: true, countRequests: false });
    expect(repairsBy(['hotfix'])).toMatchObject({ countRollbacks: false, countRequests: true });
  });
});

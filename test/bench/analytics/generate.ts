/**
 * Synthetic work units, made by the engines themselves: a year of one organization with 48 repositories, 12 teams, 300
 * authors of very different diligence, and two shares to each unit.
 */
import { ORG } from './batches.js';

const WORK_TYPES = ['pull_request', 'pull_request', 'commit', 'commit', 'commit', 'deployment', 'incident'];
const SUBCATEGORIES = [
  ...['feature_delivery.customer', 'feature_delivery.roadmap', 'feature_delivery.enablement'],
  ...['operational.incident_response', 'operational.on_call', 'operational.support'],
  ...['maintenance.refactor', 'maintenance.upgrade', 'maintenance.debt'],
  ...['quality.testing', 'quality.bugfix', 'quality.reliability'],
  ...['risk.security', 'risk.compliance', 'risk.vulnerability'],
];

function list(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/**
 * Units numbered from `first` (counting from 1) to `last`. Of the requests, four in five have phases and one to three
 * reviewers; one in ten deployments failed.
 *
 * @param org letters and digits
 */
export function postgresUnits(first: number, last: number, org = ORG): string {
  const part = (share: number): string =>
    `case when type = 'pull_request' and done and known then cycle_ms * ${share} / 10 end`;
  const reviewer = (number: number): string =>
    `'["author-' || (luck * 7919)::int * ${number} % 300 || '@example.com","team-' || (luck * 104729)::int * ${number} % 12 || '",' || ${number} || ',1]'`;
  return `
    insert into work_units (org_id, id, repo_id, work_type, repo, team, author, theme, subcategory, started_at,
                            completed_at, day, churn, cycle_ms, coding_ms, pickup_ms, review_ms, merge_ms, deploy_ms,
                            lead_ms, change_failed, opened_ms, closed_ms, reviewers)
    select '${org}', 'repo-' || repo || ':commit:' || md5(i::text), 'repo-' || repo,
           type,
           'group/repo-' || repo, case when repo < 4 then 'unassigned' else 'team-' || repo / 4 end,
           'author-' || floor(power(random(), 2) * 300)::int || '@example.com',
           split_part(subcategory, '.', 1), subcategory,
           day + interval '20 hours' - cycle_ms * interval '1 millisecond', case when done then day + interval '20 hours' end,
           day, floor(power(random(), 3) * 2000), case when done then cycle_ms end,
           ${part(3)}, ${part(2)}, ${part(4)}, ${part(1)}, ${part(5)}, ${part(15)},
           case when type = 'deployment' and done then (luck < 0.1)::int end,
           case when type = 'pull_request' then extract(epoch from day)::bigint * 1000 + 72000000 - cycle_ms * 7 / 10 end,
           case when type = 'pull_request' and done then extract(epoch from day)::bigint * 1000 + 72000000 end,
           case when type = 'pull_request' then case when not known then '[]'
                when luck < 0.4 then '[' || ${reviewer(1)} || ']'
                when luck < 0.8 then '[' || ${reviewer(1)} || ',' || ${reviewer(2)} || ']'
                else '[' || ${reviewer(1)} || ',' || ${reviewer(2)} || ',' || ${reviewer(3)} || ']' end end
    from (
      select i, i % 48 as repo, (array${list(WORK_TYPES)})[1 + floor(random() * ${WORK_TYPES.length})::int] as type,
             random() < 0.8 as known, random() as luck, date '2025-01-01' + floor(random() * 365)::int as day,
             (array${list(SUBCATEGORIES)})[1 + floor(random() * ${SUBCATEGORIES.length})::int] as subcategory,
             floor(power(random(), 2) * 1e9)::bigint as cycle_ms, random() < 0.9 as done
      from generate_series(${first}, ${last}) as i
    ) made`;
}

/** The shares of all units: 70 % of the main subcategory, 30 % of another one. */
export const postgresShares = `
  insert into work_unit_shares (org_id, id, work_type, repo, team, author, theme, subcategory, day, weight, churn, cycle_ms)
  select org_id, id, work_type, repo, team, author, split_part(part, '.', 1), part, day, weight, churn * weight,
         cycle_ms * weight / 1000000
  from work_units, lateral (values (subcategory, 700000),
    (case when subcategory = 'maintenance.debt' then 'quality.testing' else 'maintenance.debt' end, 300000)) as parts (part, weight)`;

/** Units numbered from `first` (counting from 1) to `last`, with their shares. */
export function clickHouseUnits(first: number, last: number): string {
  const part = (share: number): string =>
    `if(type = 'pull_request' and done and known, intDiv(took * ${share}, 10), null)`;
  const reviewer = (number: number): string =>
    `concat('["author-', toString(luck * ${number} % 300), '@example.com","team-', toString(intDiv(luck, 300) * ${number} % 12), '",${number},1]')`;
  return `
    insert into work_units (org_id, id, repo_id, work_type, repo, team, author, theme, subcategory, started_at,
                            completed_at, day, churn, cycle_ms, share_theme, share_subcategory, share_weight,
                            share_cycle_ms, coding_ms, pickup_ms, review_ms, merge_ms, deploy_ms, lead_ms,
                            change_failed, opened_ms, closed_ms, reviewers, version, is_deleted)
    select '${ORG}', concat('repo-', toString(place), ':commit:', lower(hex(MD5(toString(number))))), concat('repo-', toString(place)),
           type,
           concat('group/repo-', toString(place)), if(place < 4, 'unassigned', concat('team-', toString(intDiv(place, 4)))),
           concat('author-', toString(toInt32(floor(pow(rand(2) / 4294967296, 2) * 300))), '@example.com'),
           splitByChar('.', main)[1], main,
           subtractMilliseconds(toDateTime64(made_day, 3, 'UTC'), took), if(done, toDateTime64(made_day, 3, 'UTC'), null),
           made_day, toInt64(floor(pow(rand(3) / 4294967296, 3) * 2000)), if(done, took, null),
           [splitByChar('.', main)[1], splitByChar('.', second)[1]], [main, second], [700000, 300000],
           [intDiv(took * 7, 10), intDiv(took * 3, 10)],
           ${part(3)}, ${part(2)}, ${part(4)}, ${part(1)}, ${part(5)}, ${part(15)},
           if(type = 'deployment' and done, toInt64(luck % 10 = 0), null),
           if(type = 'pull_request', toInt64(toUnixTimestamp(made_day::DateTime('UTC'))) * 1000 - intDiv(took * 7, 10), null),
           if(type = 'pull_request' and done, toInt64(toUnixTimestamp(made_day::DateTime('UTC'))) * 1000, null),
           multiIf(type != 'pull_request', null, not known, '[]',
                   luck % 5 < 2, concat('[', ${reviewer(1)}, ']'),
                   luck % 5 < 4, concat('[', ${reviewer(1)}, ',', ${reviewer(2)}, ']'),
                   concat('[', ${reviewer(1)}, ',', ${reviewer(2)}, ',', ${reviewer(3)}, ']')),
           1, 0
    from (
      select number, number % 48 as place, toDate32('2025-01-01') + rand(4) % 365 as made_day,
             ${list(SUBCATEGORIES)}[1 + rand(5) % ${SUBCATEGORIES.length}] as main,
             if(main = 'maintenance.debt', 'quality.testing', 'maintenance.debt') as second,
             toInt64(floor(pow(rand(6) / 4294967296, 2) * 1e9)) as took, rand(7) % 10 < 9 as done,
             ${list(WORK_TYPES)}[1 + rand(1) % ${WORK_TYPES.length}] as type, rand(8) % 10 < 8 as known,
             toInt64(rand(9) % 1000000) as luck
      from numbers(${first}, ${last - first + 1})
    )`;
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { fill, unit } from '../../../analytics/graphql/served.js';
import {
  requestEvaluation,
  storeEvaluation,
  takeDueThresholds,
  type DueThreshold,
} from '../../../../src/platform/figures/thresholds/thresholds.store.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { exampleOf } from '../../service/send-example.js';
import { executeWithoutSleep, queueOf } from '../../sources/sync-runs/jobs/queue.js';
import { subscribe } from '../../messages/webhooks/hooks.js';
import { noFilters } from '../views/definition.js';

type Definition = Schemas['ThresholdDefinition'];

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
beforeEach(async () => {
  platform = await startTestPlatform({ executeSync: executeWithoutSleep, environment: { SYNC_JOBS: '1' } });
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
  await subscribe(platform, owner, receiver, ['analytics.threshold_crossed']);
});
afterEach(async () => {
  await platform.stop();
  await receiver.stop();
});

const path = (below = '', user = owner): string => `/api/v1/organizations/${user.orgId}/thresholds${below}`;
const create = (definition: Partial<Definition>, user = owner): Promise<JsonReply> =>
  platform.json('POST', path('', user), {
    token: user.accessToken,
    body: {
      name: 'Watched',
      definition: { measure: 'count', direction: 'above', value: 2, window_days: 7, filters: noFilters, ...definition },
    },
  });
const list = async (user = owner, query = ''): Promise<JsonReply['body']> =>
  (await platform.json('GET', path(query, user), { token: user.accessToken })).body;
const today = (): string => platform.clock.now().toISOString().slice(0, 10);

/** Puts units of today into the store. */
const work = (...units: readonly Partial<Parameters<typeof unit>[0]>[]): Promise<void> =>
  fill(
    platform.databaseUri,
    owner.orgId,
    units.map((each, index) => unit({ id: `unit-${index}`, day: today(), ...each })),
  );

/** Ends a sync run that reads nothing, and evaluates what is due then. */
async function syncAndEvaluate(): Promise<void> {
  const queue = queueOf(platform, owner);
  const config = await queue.configure({ repositories: ['zebra/*'] });
  await queue.until(config, await queue.start(config), 'failed');
  await platform.running.thresholds.drain();
  await platform.running.webhooks.drain();
}

const limits = { leaseSeconds: 120, count: 1, maxAttempts: 3 };
const received = (): unknown[] => receiver.received.map(({ data }) => data['value']);

describe('A threshold', () => {
  it('sends an event when it is crossed after a sync run, and not again while it is', async () => {
    const created = await create({});
    expect(created).toMatchObject({
      status: 201,
      body: { is_crossed: false, last_value: null, evaluated_at: null, created_by: owner.userId },
    });
    await work({}, {});
    await syncAndEvaluate();
    expect([received(), (await list()).items[0]]).toMatchObject([[], { is_crossed: false, last_value: 2 }]);

    await work({}, {}, {});
    await syncAndEvaluate();
    await syncAndEvaluate();
    const begin = new Date(Date.parse(today()) - 6 * 86_400_000).toISOString().slice(0, 10);
    expect(receiver.received.map(({ data }) => data)).toEqual([
      {
        ...{ threshold_id: created.body.id, name: 'Watched', measure: 'count', direction: 'above', threshold: 2 },
        ...{ value: 3, start_date: begin, end_date: today() },
      },
    ]);
    const [item] = (await list()).items;
    expect(item).toMatchObject({ is_crossed: true, last_value: 3, evaluated_at: expect.any(String) });
  });

  it('counts the work with an assistant, or all of it if an earlier release has stored the definition', async () => {
    const assisted = await create({ filters: { ...noFilters, assistants: ['Claude'] } });
    await work({ assistant: 'Claude' }, { assistant: 'unassisted' }, {});
    await syncAndEvaluate();
    expect((await list()).items).toMatchObject([{ last_value: 1 }]);

    await platform.database.sql`
      update analytics_thresholds set definition = (definition::jsonb #- '{filters,assistants}')::text
      where id = ${assisted.body.id}`;
    await syncAndEvaluate();
    expect((await list()).items).toMatchObject([{ last_value: 3, definition: { filters: noFilters } }]);
  });

  it('ends its window today in the time zone of the organization', async () => {
    const now = platform.clock.now();
    const timeZone = now.getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';
    await platform.json('PUT', `/api/v1/organizations/${owner.orgId}/calendar`, {
      token: owner.accessToken,
      body: { week_starts_on: 'monday', time_zone: timeZone },
    });
    await create({ value: 0, window_days: 1 });
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts }).format(now);
    await work({}, { day }, { day });
    await syncAndEvaluate();
    expect(day).not.toBe(today());
    expect(receiver.received.map(({ data }) => data)).toMatchObject([{ value: 2, start_date: day, end_date: day }]);
  });

  it('sends another event when it is crossed again', async () => {
    await create({});
    await work({}, {}, {});
    await syncAndEvaluate();
    await platform.database.sql`delete from work_units where id = 'unit-2'`;
    await syncAndEvaluate();
    await work({}, {}, {}, {});
    await syncAndEvaluate();
    expect(received()).toEqual([3, 4]);
  });

  it.each<[Partial<Definition>, number]>([
    [{ measure: 'count', direction: 'below', value: 4 }, 3],
    [{ measure: 'churn_loc', value: 99 }, 112],
    [{ measure: 'throughput', value: 1 }, 2],
    // 2 and 8 hours, of two types of work.
    [{ measure: 'cycle_time_hours', value: 4 }, 5],
    [{ measure: 'count', value: 0, filters: { ...noFilters, teams: ['web'] } }, 1],
  ])('measures %j as %d', async (definition, value) => {
    await create(definition);
    await work(
      { churnLoc: 100 },
      { completedAt: null, churnLoc: 2 },
      {
        ...{ workType: 'pull_request', team: 'web' },
        ...{ startedAt: Date.parse(`${today()}T00:00:00Z`), completedAt: Date.parse(`${today()}T08:00:00Z`) },
      },
    );
    await syncAndEvaluate();
    expect(received()).toEqual([value]);
  });

  it('without anything to measure stays as it is', async () => {
    await create({ measure: 'cycle_time_hours', direction: 'below', value: 1 });
    await work({ completedAt: null });
    await syncAndEvaluate();
    expect(received()).toEqual([]);
    expect((await list()).items[0]).toMatchObject({
      is_crossed: false,
      last_value: null,
      evaluated_at: expect.any(String),
    });
  });

  it('is one of at most 20, and is listed by pages', async () => {
    const replies = await Promise.all(Array.from({ length: 21 }, () => create({})));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(20).fill(201), 409]);
    const page = await list(owner, '?limit=15');
    const rest = await list(owner, `?limit=15&cursor=${String(page.next_cursor)}`);
    const ids = [...page.items, ...rest.items].map(({ id }: { id: string }) => id);
    expect([new Set(ids).size, rest.next_cursor]).toEqual([20, null]);
  });

  it('belongs to its organization, and is deleted', async () => {
    const { body } = await create(Object(exampleOf('createThreshold').body?.value).definition);
    const stranger = await platform.signUp();
    expect((await list(stranger)).items).toEqual([]);
    const remove = (user: TestUser): Promise<JsonReply> =>
      platform.json('DELETE', path(`/${String(body.id)}`, user), { token: user.accessToken });
    expect((await remove(stranger)).body.type).toBe('/problems/threshold-not-found');
    expect((await remove(owner)).status).toBe(204);
    expect((await list()).items).toEqual([]);
    const audited = await platform.database.sql`
      select action, note from audit_log where resource_kind = 'THRESHOLD' order by at`;
    expect(audited).toEqual([
      { action: 'CREATE', note: 'Watched' },
      { action: 'DELETE', note: 'Watched' },
    ]);
  });
});

it('A threshold that cannot be evaluated is given up after three attempts, until the next sync run', async () => {
  await create({});
  await platform.database.sql`update analytics_thresholds set definition = '{"filters":{},"window_days":1}'`;
  await syncAndEvaluate();
  const attempts = async (): Promise<unknown> => {
    const [row] = await platform.database.sql`
      select attempts, evaluate_at is null as gave_up from analytics_thresholds`;
    return row;
  };
  expect(await attempts()).toEqual({ attempts: 1, gave_up: false });
  for (const _attempt of [2, 3]) {
    platform.clock.advance(121);
    await platform.running.thresholds.drain();
  }
  expect(await attempts()).toEqual({ attempts: 3, gave_up: true });
  expect(received()).toEqual([]);
});

it('A threshold whose evaluators are killed is given up after three attempts', async () => {
  await platform.running.thresholds.stop();
  const { sql } = platform.database;
  await create({});
  await sql.begin((transaction) => requestEvaluation(transaction, owner.orgId, platform.clock.now()));
  const taken: unknown[] = [];
  for (let round = 0; round < 4; round++) {
    taken.push((await takeDueThresholds(sql, platform.clock.now(), [], limits)).length);
    platform.clock.advance(120);
  }
  expect(taken).toEqual([1, 1, 1, 0]);
  expect(await sql`select attempts from analytics_thresholds where evaluate_at is null`).toEqual([{ attempts: 3 }]);
  await sql.begin((transaction) => requestEvaluation(transaction, owner.orgId, platform.clock.now()));
  expect(await takeDueThresholds(sql, platform.clock.now(), [], limits)).toHaveLength(1);
});

it('A threshold is evaluated by one server for as long as its query may take', async () => {
  const { databaseUri, clock, mailbox } = platform;
  const environment = { SYNC_JOBS: '1', ANALYTICS_QUERY_TIMEOUT: '300' };
  const slow = await startTestPlatform({ databaseUri, clock, mailbox, environment });
  try {
    await platform.running.thresholds.stop();
    await create({});
    // The evaluation fails, and the lease remains.
    await platform.database.sql`update analytics_thresholds set definition = '{"filters":{},"window_days":1}'`;
    await platform.database.sql.begin((sql) => requestEvaluation(sql, owner.orgId, clock.now()));
    await slow.running.thresholds.drain();
    clock.advance(300);
    expect(await takeDueThresholds(platform.database.sql, clock.now(), [], limits)).toEqual([]);
    clock.advance(91);
    expect(await takeDueThresholds(platform.database.sql, clock.now(), [], limits)).toMatchObject([{ attempts: 2 }]);
  } finally {
    await slow.stop();
  }
});

it('A threshold is evaluated after a run that was cancelled', async () => {
  await create({});
  await work({}, {}, {});
  const { databaseUri, clock, mailbox } = platform;
  // No server works on the run.
  const idle = await startTestPlatform({ databaseUri, clock, mailbox, environment: { SYNC_JOBS: '0' } });
  try {
    await platform.running.stop();
    const queue = queueOf(idle, owner);
    const config = await queue.configure({ repositories: ['zebra/*'] });
    await queue.cancel(config, await queue.start(config));
    const due = await takeDueThresholds(idle.database.sql, clock.now(), [], limits);
    expect(due).toMatchObject([{ org_id: owner.orgId }]);
  } finally {
    await idle.stop();
  }
});

describe('An evaluation during which another one is requested', () => {
  const take = async (): Promise<DueThreshold> => {
    const [taken] = await takeDueThresholds(platform.database.sql, platform.clock.now(), [], limits);
    if (taken === undefined) throw new Error('no threshold is due');
    return taken;
  };
  const request = (): Promise<void> =>
    platform.database.sql.begin((sql) => requestEvaluation(sql, owner.orgId, platform.clock.now()));
  const end = (due: DueThreshold, value: number): Promise<boolean> =>
    platform.database.sql.begin((sql) =>
      storeEvaluation(sql, due, { value, isCrossed: value > 2 }, platform.clock.now()),
    );
  const stored = async (): Promise<unknown> => {
    const [row] = await platform.database.sql`
      select last_value as value, is_crossed, evaluate_at is not null as is_due from analytics_thresholds`;
    return row;
  };
  beforeEach(async () => {
    await platform.running.thresholds.stop();
    await create({});
    await request();
  });

  it('stores its value, and the other one follows', async () => {
    const first = await take();
    platform.clock.advance(1);
    await request();
    platform.clock.advance(1);
    expect(await end(first, 3)).toBe(true);
    expect(await stored()).toEqual({ value: 3, is_crossed: true, is_due: true });
    const second = await take();
    platform.clock.advance(1);
    expect(await end(second, 1)).toBe(false);
    expect(await stored()).toEqual({ value: 1, is_crossed: false, is_due: false });
  });

  it('stores nothing if the other one has stored its value first', async () => {
    const first = await take();
    platform.clock.advance(1);
    await request();
    const second = await take();
    platform.clock.advance(1);
    expect(await end(second, 1)).toBe(false);
    expect(await end(first, 3)).toBe(false);
    expect(await stored()).toEqual({ value: 1, is_crossed: false, is_due: false });
  });

  it('does not prevent the other one from storing its value later', async () => {
    const first = await take();
    platform.clock.advance(1);
    await request();
    const second = await take();
    platform.clock.advance(1);
    await end(first, 3);
    platform.clock.advance(1);
    expect(await end(second, 1)).toBe(false);
    expect(await stored()).toEqual({ value: 1, is_crossed: false, is_due: false });
  });

  it('stores nothing if the definition has changed', async () => {
    const first = await take();
    await platform.database.sql`update analytics_thresholds set definition = '{}'`;
    expect(await end(first, 3)).toBe(false);
    expect(await stored()).toMatchObject({ value: null });
  });
});

describe('Thresholds of several organizations', () => {
  const due = (user: TestUser): Promise<unknown> =>
    platform.database.sql.begin((sql) => requestEvaluation(sql, user.orgId, platform.clock.now()));

  /** Locks the webhooks of an organization until the returned function is called. */
  const lockWebhooks = ({ orgId }: TestUser): Promise<() => Promise<void>> =>
    new Promise((resolve, reject) => {
      const holding = platform.database.sql.begin(async (sql) => {
        await sql`select 1 from webhooks where org_id = ${orgId} for update`;
        await new Promise<void>((release) => {
          resolve(() => {
            release();
            return holding;
          });
        });
      });
      holding.catch(reject);
    });

  it('are evaluated in turns', async () => {
    await platform.running.thresholds.stop();
    const other = await platform.signUp();
    for (let count = 0; count < 3; count++) await create({});
    await due(owner);
    platform.clock.advance(1);
    for (let count = 0; count < 2; count++) await create({}, other);
    await due(other);

    const turns: string[] = [];
    for (;;) {
      platform.clock.advance(1);
      const [taken] = await takeDueThresholds(platform.database.sql, platform.clock.now(), [], limits);
      if (taken === undefined) break;
      turns.push(taken.org_id === owner.orgId ? 'first' : 'other');
    }
    expect(turns).toEqual(['first', 'other', 'first', 'other', 'first']);
  });

  it('do not wait for those of another organization that are locked', async () => {
    await platform.running.thresholds.stop();
    const other = await platform.signUp();
    for (const user of [owner, other]) {
      await create({}, user);
      await due(user);
      platform.clock.advance(1);
    }
    const { sql } = platform.database;
    await sql.begin(async (transaction) => {
      await transaction`select 1 from analytics_thresholds where org_id = ${owner.orgId} for update`;
      const taken = await takeDueThresholds(sql, platform.clock.now(), [], limits);
      expect(taken.map((each) => each.org_id)).toEqual([other.orgId]);
    });
  });

  it('do not wait for an evaluation of another organization, which has one at a time', async () => {
    const other = await platform.signUp();
    for (let count = 0; count < 4; count++) await create({ value: 0 });
    await create({ value: 0 }, other);
    await work({});
    // The evaluation of a crossed threshold waits for the lock of the webhook.
    const release = await lockWebhooks(owner);
    await due(owner);
    platform.clock.advance(1);
    await due(other);
    platform.running.thresholds.wake();
    try {
      await expect.poll(async () => (await list(other)).items[0].evaluated_at).not.toBeNull();
      const begun = await platform.database.sql`
        select count(*)::int from analytics_thresholds where org_id = ${owner.orgId} and attempts > 0`;
      expect(begun).toEqual([{ count: 1 }]);
    } finally {
      await release();
    }
    await platform.running.thresholds.drain();
    await platform.running.webhooks.drain();
    expect(received()).toEqual([1, 1, 1, 1]);
  });
});

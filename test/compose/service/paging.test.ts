/** Every list comes page by page, in one shape. */
import { paginate } from '@plumbline/sdk';
import { createComposeClient, listContainers } from '@plumbline/sdk/compose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runService, type RunningService } from './running-service.js';

interface Page {
  readonly items: readonly { readonly name?: string; readonly id?: string }[];
  readonly next_cursor: string | null;
}

let running: RunningService;
beforeAll(async () => {
  running = await runService({ images: ['app', 'other', 'third'] });
  for (const name of ['a', 'b', 'c']) {
    await running.expect(201, 'POST', '/networks', { name });
    await running.expect(201, 'POST', '/volumes', { name });
    await running.expect(201, 'POST', '/secrets', { name, value: 'v' });
    await running.up(`shop-${name}`, 'services: { a: { image: app }, b: { image: app }, c: { image: app } }');
  }
});
afterAll(() => running.stop());

const read = async (path: string): Promise<Page> => (await running.expect(200, 'GET', path)) as Page;

async function pagesOf(path: string, limit: number): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await read(`${path}?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

const lists = ['/containers', '/images', '/networks', '/volumes', '/secrets', '/projects', '/projects/shop-a/services'];

describe.each(lists)('%s', (path) => {
  test('comes page by page, with every item once and in the same order', async () => {
    const whole = await read(path);
    expect(whole.next_cursor).toBeNull();
    expect(whole.items.length).toBeGreaterThan(2);
    const pages = await pagesOf(path, 2);
    expect(
      pages
        .map(({ items }) => items.length)
        .slice(0, -1)
        .every((count) => count === 2),
    ).toBe(true);
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
  });

  test('refuses a cursor that no page issued', async () => {
    for (const cursor of ['*', 'a', 'YQ==']) {
      expect(await running.expect(422, 'GET', `${path}?cursor=${cursor}`)).toMatchObject({
        violations: [{ path: '/query/cursor', rule: 'format' }],
      });
    }
  });

  test('refuses a limit beyond 200', async () => {
    await running.expect(422, 'GET', `${path}?limit=201`);
  });
});

test('Additions and removals between two pages neither repeat nor skip other items', async () => {
  const first = await read('/volumes?limit=2');
  await running.expect(204, 'DELETE', '/volumes/b');
  await running.expect(201, 'POST', '/volumes', { name: 'aa' });
  const second = await read(`/volumes?cursor=${String(first.next_cursor)}`);
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('The SDK goes through all pages', async () => {
  const client = createComposeClient({ address: running.url.replace('http:', 'tcp:') });
  const names: string[] = [];
  for await (const { name } of paginate(listContainers, client, { query: { limit: 4 } })) names.push(name);
  expect(new Set(names).size).toBe(9);
});

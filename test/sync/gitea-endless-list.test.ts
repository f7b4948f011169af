import { expect, it } from 'vitest';
import { openGiteaClient } from '../../src/sync/providers/gitea/client.js';
import { giteaRepository, startGiteaDouble } from '../support/hosts/gitea.js';
import { testDependencies } from './harness.js';

/** Reads a list whose pages have these items. The server names a next page after each. */
async function readEndless(items: (page: number) => readonly object[]): Promise<{ count: number; requests: number }> {
  const host = await startGiteaDouble(giteaRepository('acme/widgets'));
  const path = '/repos/acme/widgets/pulls/1/commits';
  host.fault = ({ path: asked, query }) => {
    if (!asked.endsWith(path)) return undefined;
    const page = Number(query.get('page'));
    return { status: 200, headers: { link: `<${host.url}${asked}?page=${page + 1}>; rel="next"` }, body: items(page) };
  };
  const client = openGiteaClient(host.url, host.token, testDependencies());
  const list = await client.all(path);
  return { count: list.length, requests: host.requests.filter(({ path: asked }) => asked.endsWith(path)).length };
}

it('a list of gitea ends with an empty page, also if the server names a next one', async () => {
  const read = await readEndless((page) => (page < 3 ? [{ sha: String(page) }] : []));
  expect(read).toEqual({ count: 2, requests: 3 });
});

it('a list of gitea fails if the server repeats a page, as a proxy does that drops the number', async () => {
  await expect(readEndless(() => [{ sha: 'a' }])).rejects.toMatchObject({
    code: 'unexpected_reply',
    message: 'gitea always names one more page of /repos/acme/widgets/pulls/1/commits.',
  });
});

it('a list of gitea fails after 20,000 pages', async () => {
  const dependencies = testDependencies({
    fetch: (url) => {
      const page = new URL(url).searchParams.get('page');
      const body = page === null ? { max_response_items: 50 } : [{ sha: page }];
      return Promise.resolve(Response.json(body, { headers: { link: '<https://gitea.test>; rel="next"' } }));
    },
  });
  const read = openGiteaClient('https://gitea.test', undefined, dependencies).all('/repos/acme/widgets/commits');
  await expect(read).rejects.toMatchObject({ code: 'unexpected_reply' });
}, 60_000);

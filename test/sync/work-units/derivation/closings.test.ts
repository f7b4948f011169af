/** Which issues a text closes. */
import { expect, it } from 'vitest';
import { closingsOfRequest } from '../../../../src/sync/work-units/derivation/closings.js';

const APP = { repo: 'acme/app', identity: 'host-a.test/acme/app' };

function closed(body: string, repository: Parameters<typeof closingsOfRequest>[1] = APP): readonly number[] {
  return closingsOfRequest({ number: 1, body }, repository).map(({ issue }) => issue);
}

it.each([
  ['closes https://host-a.test/acme/app/issues/6', [6]],
  ['closes https://HOST-A.test/Acme/App/-/issues/6', [6]],
  ['closes https://evil.example/acme/app/issues/6', []],
  ['closes https://host-a.test@evil.example/acme/app/issues/6', []],
  ['closes https://host-a.test:8443/acme/app/issues/6', []],
  ['closes https://host-a.test/acme/other/issues/6', []],
  ['Fixes #0', []],
  ['Fixes acme/app#0 and closes #7', [7]],
])('%s: %j', (text, issues) => {
  expect(closed(text)).toEqual(issues);
});

it('links no address to a repository without a remote', () => {
  expect(closed('closes https://host-a.test/app/issues/6, fixes #7', { repo: 'app', identity: undefined })).toEqual([
    7,
  ]);
});

it('links the addresses of a host that is not at the root of its server', () => {
  const repository = { repo: 'acme/app', identity: 'host-b.test/gitlab/acme/app' };
  expect(closed('closes https://host-b.test/gitlab/acme/app/-/issues/6', repository)).toEqual([6]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScimClient } from '../platform/identity/scim/scim-client.js';
import type { JsonReply } from '../support/platform.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole } from './console.js';
import { lookAt, someAppearances } from './look.js';
import { prepareTeams } from './teams-data.js';

describe.skipIf(!hasBrowser)(`On the Provisioning page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  test.each(someAppearances)('an owner gives a group a role and a team ($theme, $width)', async (appearance) => {
    const { platform } = running;
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    await prepareTeams(platform, owner);
    const scim = await createScimClient(platform, owner);
    await scim('POST', '/Groups', { displayName: 'Developers', members: [{ value: member.userId }] });
    const read = async (path: string): Promise<JsonReply['body']> =>
      (await platform.json('GET', `/api/v1/organizations/${owner.orgId}/${path}`, { token: owner.accessToken })).body;

    const visitor = await running.visitor(appearance);
    const { page, open, logIn, complaints } = visitor;
    const role = page.getByLabel('Role of Developers');
    const team = page.getByLabel('Team of Developers');
    await open('/console/provisioning');
    await logIn(owner);
    await role.selectOption('Admin');
    await page.getByText('Developers is changed.').waitFor();
    await expect.poll(() => role.inputValue()).toBe('admin');
    await team.selectOption('Web and mobile');
    await expect.poll(() => team.inputValue()).toBe('web');
    await lookAt(visitor, 'provisioning-changed', appearance);
    await reload(page);
    await expect.poll(() => role.inputValue()).toBe('admin');
    await expect.poll(() => team.inputValue()).toBe('web');
    expect((await read('provisioned-groups')).items).toMatchObject([{ role: 'admin', team_id: 'web' }]);
    expect((await read('members')).items).toContainEqual(
      expect.objectContaining({ user_id: member.userId, role: 'admin' }),
    );
    expect((await read('teams/web')).members).toContain(member.email);

    await team.selectOption('No team');
    await expect.poll(() => team.inputValue()).toBe('');
    expect((await read('provisioned-groups')).items).toMatchObject([{ role: 'admin', team_id: null }]);
    expect((await read('teams/web')).members).not.toContain(member.email);
    expect(complaints).toEqual([]);
  });
});

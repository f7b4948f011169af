import path from 'node:path';
import { expect, it } from 'vitest';
import { withProfiles } from '../../../../src/compose/runtime/bridge/security-options.js';
import { folderWith } from '../../model/project-folder.js';

it('A seccomp profile is sent as its content; other options stay as they are', async () => {
  const folder = await folderWith({ 'profile.json': '{\n  "defaultAction": "SCMP_ACT_ALLOW"\n}\n' });
  const options = [`seccomp=${path.join(folder, 'profile.json')}`, 'seccomp=unconfined', 'no-new-privileges:true'];
  expect(await withProfiles(options)).toEqual([
    'seccomp={"defaultAction":"SCMP_ACT_ALLOW"}',
    'seccomp=unconfined',
    'no-new-privileges:true',
  ]);
});

it.each([
  ['is missing', undefined, 'ENOENT'],
  ['is not JSON', 'allow: all', 'it is not JSON'],
])('The error of a seccomp profile that %s names the profile', async (_what, text, reason) => {
  const folder = await folderWith(text === undefined ? {} : { 'profile.json': text });
  const file = path.join(folder, 'profile.json');
  await expect(withProfiles([`seccomp=${file}`])).rejects.toMatchObject({
    failure: { case: 'backendFailure', message: `The seccomp profile '${file}' cannot be used: ${reason}.` },
  });
});

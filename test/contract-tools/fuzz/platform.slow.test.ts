import { expect, test } from 'vitest';
import { runFuzz } from '../../../src/contract-tools/fuzz/run-fuzz.js';
import { startTestPlatform } from '../../support/platform.js';

test('a short run finds nothing in the server of this repository', { timeout: 120_000 }, async () => {
  const platform = await startTestPlatform();
  try {
    const { accessToken, orgId } = await platform.signUp();
    const lines: string[] = [];
    const options = {
      seed: '1',
      requests: '4',
      header: [`Authorization: Bearer ${accessToken}`],
      parameter: [`org_id=${orgId}`],
      tag: ['organizations', 'teams', 'audit', 'setup', 'operations'],
      // Needs no token on this machine, which OpenAPI cannot express.
      skip: ['getMetrics'],
    };
    const code = await runFuzz('generated/platform/openapi.json', platform.url, options, (line) => lines.push(line));
    expect(lines.join('\n')).toMatch(/^✓ createTeam {2}allowed: .*201/m);
    expect([lines.at(-1)?.trim(), code]).toEqual([expect.stringMatching(/^\d+ requests, 0 findings\.$/), 0]);
  } finally {
    await platform.stop();
  }
});

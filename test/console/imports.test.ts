import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';

const rules = ['import-x/no-restricted-paths', '@typescript-eslint/no-restricted-imports'];
/** Without type information, which the two rules do not need, and which takes half a minute to build. */
const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => rules.includes(ruleId),
  overrideConfig: { languageOptions: { parserOptions: { projectService: false, project: null } } },
});

/** The messages of the two rules about imports, for a source at `filePath` whose text is `code`. */
async function refusals(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath });
  const messages = result?.messages ?? [];
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return messages.filter(({ ruleId }) => rules.includes(ruleId ?? '')).map(({ message }) => message);
}

describe('The linter', () => {
  test.each([
    "import '../../platform/clock.js';",
    "import '../../../generated/problems.js';",
    "import '../../contract/pages.js';",
    "import '../../../sdk/src/client.js';",
    "import '../../../test/support/clock.js';",
    "import 'node:fs';",
    "import 'koa';",
    "import '@plumbline/sdk/compose';",
  ])('refuses %s in the console', async (code) => {
    expect(await refusals('src/console/shell/page.tsx', code)).not.toEqual([]);
  });

  test.each(["import '../ui/view.js';", "import '@plumbline/sdk/platform';", "import 'preact/hooks';"])(
    'allows %s in the console',
    async (code) => {
      expect(await refusals('src/console/shell/page.tsx', code)).toEqual([]);
    },
  );

  test('allows the compose API in the page of compose serve, but not the Platform API', async () => {
    const file = 'src/console/containers/app.tsx';
    expect(await refusals(file, "import '@plumbline/sdk/compose';")).toEqual([]);
    expect(await refusals(file, "import '@plumbline/sdk/platform';")).not.toEqual([]);
  });

  test('refuses an import of the console in the rest of the sources', async () => {
    expect(await refusals('src/contract/request-id.ts', "import '../console/session/store.js';")).not.toEqual([]);
  });
});

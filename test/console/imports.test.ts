import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';

const rule = '@typescript-eslint/no-restricted-imports';
/** Without type information, which the rule does not need, and which takes half a minute to build. */
const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => ruleId === rule,
  overrideConfig: { languageOptions: { parserOptions: { projectService: false, project: null } } },
});

/** The messages of the rule about imports, for a source at `filePath` whose text is `code`. */
async function refusals(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath });
  const messages = result?.messages ?? [];
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return messages.filter(({ ruleId }) => ruleId === rule).map(({ message }) => message);
}

describe('The linter', () => {
  test.each([
    "import '../../../sdk/src/client.js';",
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
});

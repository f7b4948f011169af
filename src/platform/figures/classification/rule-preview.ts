import type { GetRulePreviewHandler } from '../../../../generated/platform/operations.js';
import { rulesFileInvalid } from '../../../../generated/problems.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { appendRule, type WrittenRule } from '../../../sync/work-units/classify/append-rule.js';
import { mostCharacters, organizationRulesSteps } from '../../../sync/work-units/classify/organization-rules.js';
import type { Rule } from '../../../sync/work-units/classify/rules.js';
import { FileError } from '../../../sync/work-units/file-check.js';
import { previewRule } from '../../../sync/work-units/preview-rule.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { describeFileProblems } from './file-problems.js';
import { firstDay, readStoredRules, revisionOf } from './stored-rules.js';

/** Shows what a rule after the stored ones would change. */
export const getRulePreview: GetRulePreviewHandler<PlatformDependencies> = (
  { query: { days, ...written }, principal },
  { records, clock },
) =>
  records.of(principal.org_id, async (resources) => {
    const { text, rules: own } = await readStoredRules(resources);
    let file: string;
    let added: Rule;
    try {
      file = await inSlices(appendRule(text, ruleOf(written)));
      added = await lastRule(file);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return rulesFileInvalid(describeFileProblems(error.problems));
    }
    const since = await firstDay(resources, days, clock.now());
    const { examples, changedTheme, ...preview } = await previewRule(resources, { own, added, since });
    return {
      status: 200,
      body: {
        start_date: preview.since,
        units: preview.units,
        examined: preview.examined,
        matched: preview.matched,
        changed: preview.changed,
        changed_theme: changedTheme,
        changes: preview.changes.map(({ from, to, units }) => ({ from, to, units })),
        examples: examples.map(({ id, title, from, to }) => ({ unit_id: id, title, from, to })),
        corrections: { ...preview.corrections },
        file,
        revision: revisionOf(text),
      },
    };
  });

type Asked = Omit<Parameters<typeof getRulePreview>[0]['query'], 'days'>;

/** The rule as a file writes it: a weight of 1 is the usual one. */
function ruleOf({ name, gives, weight, ...lists }: Asked): WrittenRule {
  return { name, ...lists, gives, ...(weight === 1 ? {} : { weight }) };
}

/**
 * The rule at the end of a file.
 *
 * @throws FileError if the file is invalid with it
 */
async function lastRule(file: string): Promise<Rule> {
  if (Array.from(file).length > mostCharacters) {
    const text = `would have more than ${mostCharacters} characters`;
    throw new FileError('The file is too long', [{ line: null, place: 'the file', text }]);
  }
  const { rules } = await inSlices(organizationRulesSteps(file, 'The file'));
  const last = rules.at(-1);
  if (last === undefined) throw new Error('A rule was appended to the file, and it has none');
  return last;
}

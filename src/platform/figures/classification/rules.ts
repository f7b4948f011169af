import type { GetRulesHandler, ImportRulesHandler } from '../../../../generated/platform/operations.js';
import { rulesChanged, rulesFileInvalid } from '../../../../generated/problems.js';
import { organizationRulesSteps } from '../../../sync/work-units/classify/organization-rules.js';
import { FileError } from '../../../sync/work-units/file-check.js';
import { inSlices } from '@plumbline/contract/system/slices';
import type { PlatformDependencies } from '../../dependencies.js';
import { describeFileProblems } from './file-problems.js';
import { storeText } from './store-text.js';
import { revisionOf } from './stored-rules.js';

export const getRules: GetRulesHandler<PlatformDependencies> = async ({ principal }, { records }) => {
  const { org_id: orgId } = principal;
  const file = (await records.of(orgId, (resources) => resources.records.readFile('rules', orgId))) ?? '';
  return { status: 200, body: { rules: file === '' ? 0 : await countRules(file), file } };
};

export const importRules: ImportRulesHandler<PlatformDependencies> = async (request, dependencies) => {
  const { file, revision } = request.body;
  const { org_id: orgId } = request.principal;
  let rules: number;
  try {
    rules = await countRules(file);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return rulesFileInvalid(describeFileProblems(error.problems));
  }
  const note = rules === 1 ? '1 rule' : `${rules} rules`;
  try {
    await storeText(dependencies, request, { resourceKind: 'RULES', note }, async ({ records }) => {
      // The organization is locked, so that no other request stores rules in between.
      if (revision !== undefined && revision !== revisionOf((await records.readFile('rules', orgId)) ?? ''))
        throw new OtherRules();
      await records.writeFile('rules', orgId, file);
    });
  } catch (error) {
    if (!(error instanceof OtherRules)) throw error;
    return rulesChanged({ message: 'Other rules have been stored since the file was made.' });
  }
  return { status: 200, body: { rules, file } };
};

/** Rolls the transaction back. */
class OtherRules extends Error {}

/** @throws FileError if the file is invalid */
async function countRules(file: string): Promise<number> {
  return (await inSlices(organizationRulesSteps(file, 'The file'))).rules.length;
}

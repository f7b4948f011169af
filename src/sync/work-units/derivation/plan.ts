/** How the units of a repository are derived: its name, the rules, the teams; and the basis that stands for all three. */
import { createHash } from 'node:crypto';
import type { RepositoryContext } from './derive.js';
import type { WorkUnitDeriver } from '../deriver.js';
import { createTeamAssigner } from '../teams/assign.js';
import { teamsFromText } from '../teams/teams-file.js';

/** Raise it when the same records give other units than before: every repository is then derived again. */
const ALGORITHM = 3;

/** How the units of a repository are derived now; undefined for a repository that is not stored. */
export async function repositoryContext(
  deriver: Pick<WorkUnitDeriver, 'records' | 'orgId' | 'classifier'>,
  repoId: string,
  notes: ReadonlyMap<string, string>,
): Promise<RepositoryContext | undefined> {
  const [repo, teams] = await Promise.all([
    deriver.records.repositoryName(repoId),
    deriver.records.readTeams(deriver.orgId),
  ]);
  if (repo === undefined) return undefined;
  const codeowners = notes.get('codeowners') ?? '';
  return {
    repoId,
    repo,
    classifier: deriver.classifier,
    teams: createTeamAssigner(teamsFromText(teams), repo, codeowners === '' ? undefined : codeowners),
  };
}

/** Equal where the same records give the same units. */
export function basisOf({ classifier, teams }: RepositoryContext): string {
  return createHash('sha256')
    .update(JSON.stringify([ALGORITHM, classifier.fingerprint, teams.fingerprint]))
    .digest('hex');
}

/** The variables of a compose file, as `config --variables` prints them. */
import { templateVariables, type TemplateVariable } from '../../model/interpolation/template.js';
import type { Json } from '../../model/node.js';
import type { ConfigFormat } from '../../model/project/render.js';
import { table } from '../text.js';

/** The field names are docker compose's. */
interface Variable {
  readonly Name: string;
  readonly DefaultValue: string;
  readonly PresenceValue: string;
  readonly Required: boolean;
}

/** @param model with unreplaced variables */
export function variablesText(model: Json, format: ConfigFormat): string {
  const variables = [...variablesIn(model)].sort(([one], [other]) => (one < other ? -1 : 1));
  if (format === 'json') return `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`;
  const rows = variables.map(([name, { Required, DefaultValue, PresenceValue }]) => [
    name,
    String(Required),
    DefaultValue,
    PresenceValue,
  ]);
  return table(['NAME', 'REQUIRED', 'DEFAULT VALUE', 'ALTERNATE VALUE'], rows);
}

/** The last use of a variable counts, as in docker compose. */
function variablesIn(model: Json): Map<string, Variable> {
  if (typeof model === 'string') return new Map(templateVariables(model).map((each) => [each.name, variableOf(each)]));
  if (typeof model !== 'object' || model === null) return new Map();
  return new Map(Object.values(model).flatMap((inner: Json) => [...variablesIn(inner)]));
}

function variableOf({ name, operator, operand }: TemplateVariable): Variable {
  const kind = operator.at(-1);
  return {
    Name: name,
    DefaultValue: kind === '-' ? operand : '',
    PresenceValue: kind === '+' ? operand : '',
    Required: kind === '?',
  };
}

/** Which tools are listed, and with how much of their schemas: agents read the whole list before their first call. */
import { queryTools } from '../../../generated/graphql/tools.js';
import { operationTools } from '../../../generated/platform/tools.js';
import { UsageError } from '../usage-error.js';
import type { AnyTool } from './call-tool.js';
import type { McpOptions } from './options.js';

/** All tools. */
export const tools: readonly AnyTool[] = [...queryTools, ...operationTools];

/** The names of the toolsets: `analytics` has the tools with the scope `analytics:read`. */
export const toolsets: readonly string[] = [...new Set(tools.map(toolsetOf))];

/** What is served. Other tools do not exist for an agent. */
export interface ToolSelection {
  readonly tools: readonly AnyTool[];
  /** Whether tools that change something are left out. */
  readonly isReadOnly: boolean;
  /** Whether the list has output schemas, and the descriptions of members of arguments. */
  readonly hasFullSchemas: boolean;
}

/** What an agent sees of a tool. */
export type ListedTool = Pick<AnyTool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'> &
  Partial<Pick<AnyTool, 'outputSchema'>>;

/** @throws UsageError for a toolset that does not exist */
export function selectTools({ tools: chosen = ['analytics'], readOnly, fullSchemas }: McpOptions): ToolSelection {
  const isReadOnly = readOnly === true;
  const unknown = chosen.find((name) => name !== 'all' && !toolsets.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--tools ${unknown} is not a toolset; there are all, ${toolsets.join(', ')}`);
  }
  return {
    tools: tools.filter(
      (tool) =>
        (chosen.includes('all') || chosen.includes(toolsetOf(tool))) && (!isReadOnly || tool.annotations.readOnlyHint),
    ),
    isReadOnly,
    hasFullSchemas: fullSchemas === true,
  };
}

/** Why a tool is not served; undefined: there is no such tool. */
export function missingTool(name: string, { isReadOnly }: ToolSelection): string | undefined {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  if (isReadOnly && !tool.annotations.readOnlyHint) return `${name} is not served: plumbline mcp runs with --read-only`;
  return `${name} is not served: start plumbline mcp with --tools ${toolsetOf(tool)}`;
}

/** The description of a tool in the list. */
export function listed(tool: AnyTool, { hasFullSchemas }: ToolSelection): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return hasFullSchemas
    ? { name, title, description, inputSchema, outputSchema, annotations }
    : { name, title, description, inputSchema: withoutInnerDescriptions(inputSchema), annotations };
}

/** The part of the scope before its colon. */
function toolsetOf({ scope }: AnyTool): string {
  return scope.slice(0, scope.indexOf(':'));
}

/** The schema of the arguments, without the descriptions below each argument, and what says nothing to an agent. */
function withoutInnerDescriptions(schema: AnyTool['inputSchema']): AnyTool['inputSchema'] {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const shortened = Object.entries(properties).map(([name, argument]): [string, unknown] => {
    const description = isObject(argument) ? argument['description'] : undefined;
    const bare = withoutDescriptions(argument);
    return [name, isObject(bare) && description !== undefined ? { ...bare, description } : bare];
  });
  return { ...schema, properties: Object.fromEntries(shortened) };
}

/**
 * An argument may be called `description`, whose value is a schema and not a text. A call with unknown members is refused,
 * although the list does not say so.
 */
function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([name, value]) => {
    if (name === 'description') return typeof value !== 'string';
    if (name === 'required') return !Array.isArray(value) || value.length > 0;
    return name !== 'additionalProperties' || value !== false;
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutDescriptions(value)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import { invalid, type Refusal } from './refusal.js';

export const maxTokens = 2_000;
const maxDepth = 12;
const maxAliases = 15;

/** The depth of a selection and its number of aliases, including fragments. */
interface Extent {
  readonly depth: number;
  readonly aliases: number;
}

/**
 * Checks that no operation is deeper than 12 fields or has more than 15 aliases. Fragments count at every spread.
 * `ofType`, which introspection nests, does not add to the depth; a rule of graphql-js limits the nesting of
 * introspection.
 *
 * The time is linear in the size of the document, so that this can run before validation.
 *
 * @returns null if the document is within both limits
 */
export function limitRefusal(document: DocumentNode): Refusal | null {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Extent>();

  const ofFragment = (name: string): Extent => {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, nothing); // validation rejects a fragment that spreads itself
    const fragment = fragments.get(name);
    const extent = fragment === undefined ? nothing : ofSelections(fragment.selectionSet);
    measured.set(name, extent);
    return extent;
  };

  const ofSelections = ({ selections }: SelectionSetNode): Extent => {
    let { depth, aliases } = nothing;
    for (const selection of selections) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value)
          : selection.selectionSet === undefined
            ? nothing
            : ofSelections(selection.selectionSet);
      const isField = selection.kind === Kind.FIELD;
      depth = Math.max(depth, inner.depth + (isField && selection.name.value !== 'ofType' ? 1 : 0));
      aliases += inner.aliases + (isField && selection.alias !== undefined ? 1 : 0);
    }
    return { depth, aliases };
  };

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, aliases } = ofSelections(definition.selectionSet);
    if (depth > maxDepth) return invalid('query', `The query nests fields too deep: at most ${maxDepth} levels.`);
    if (aliases > maxAliases) return invalid('query', `The query has too many aliases: at most ${maxAliases}.`);
  }
  return null;
}

const nothing: Extent = { depth: 0, aliases: 0 };

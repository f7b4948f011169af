import { sankey, sankeyLinkHorizontal, type SankeyNode } from 'd3-sankey';
import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { useWidth } from './width.js';
import { colorTokenOf, numberOf, wordsOf } from './words.js';

export interface FlowNode {
  readonly id: string;
  readonly label: string;
  readonly dimension: string;
  readonly value: number;
}

export interface FlowEdge {
  readonly source: string;
  readonly target: string;
  readonly value: number;
}

export interface FlowProps {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** What flows, for the label of the chart. */
  readonly label: string;
  /** Where a click on nodes leads: on one, or on the flow between two; undefined: nowhere. */
  readonly hrefOf?: (nodes: readonly FlowNode[]) => string | undefined;
}

/** In pixels. Below the least width, names would run into the next level; the drawing is scrolled then. */
const box = { leastWidth: 600, margin: 8, nodeWidth: 12 };
/** About six pixels a letter: a longer name would run into the next level. */
const longestLabel = 30;

/** What an edge has in addition to its ends, which the layout replaces by nodes. */
type Weight = Pick<FlowEdge, 'value'>;
type Placed = SankeyNode<FlowNode, Weight>;

/** A flow over levels (Sankey): the height of a node and the width of an edge are their values. */
export function Flow({ nodes, edges, label, hrefOf }: FlowProps): JSX.Element {
  const [container, available] = useWidth();
  const width = Math.max(box.leastWidth, available);
  const levels = new Map<string, number>();
  for (const { dimension } of nodes) levels.set(dimension, (levels.get(dimension) ?? 0) + 1);
  const height = Math.max(220, Math.max(...levels.values(), 1) * 30);
  const layout = sankey<FlowNode, Weight>()
    .nodeId(({ id }) => id)
    .nodeWidth(box.nodeWidth)
    .nodePadding(12)
    .extent([
      [box.margin, box.margin],
      [width - box.margin, height - box.margin],
    ]);
  // The layout writes into what it gets.
  const placed = layout({ nodes: nodes.map((node) => ({ ...node })), links: edges.map((edge) => ({ ...edge })) });
  const position = new Map(placed.nodes.map(({ id }, at) => [id, at]));
  const colorOf = ({ dimension, id, label: name }: Placed): string =>
    `var(${colorTokenOf(dimension, dimension === 'THEME' ? id.slice(id.indexOf(':') + 1) : name, position.get(id) ?? 0)})`;

  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label} ref={container}>
      <svg
        class="flow"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role={hrefOf === undefined ? 'img' : 'group'}
        aria-label={label}
      >
        <g class="edges">
          {placed.links.map((edge) => {
            const { source, target, width: thickness = 0 } = edge;
            if (typeof source !== 'object' || typeof target !== 'object') return null;
            const name = `${nameOf(source)} to ${nameOf(target)}: ${numberOf(edge.value)}`;
            const drawing = (
              <path
                d={sankeyLinkHorizontal()(edge) ?? ''}
                fill="none"
                stroke-width={Math.max(1, thickness)}
                style={{ stroke: colorOf(source) }}
              >
                <title>{name}</title>
              </path>
            );
            // The keyboard reaches the same units by the table, without a stop at each of hundreds of edges.
            return (
              <Linked key={`${source.id} ${target.id}`} href={hrefOf?.([source, target])} label={name} tabIndex={-1}>
                {drawing}
              </Linked>
            );
          })}
        </g>
        {placed.nodes.map((node) => {
          const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node;
          const isRight = x1 > width * 0.6;
          return (
            <Linked key={node.id} href={hrefOf?.([node])} label={`${nameOf(node)}: ${numberOf(node.value)}`}>
              <rect x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} style={{ fill: colorOf(node) }} />
              <text x={isRight ? x0 - 6 : x1 + 6} y={(y0 + y1) / 2 + 4} text-anchor={isRight ? 'end' : 'start'}>
                {shortened(nameOf(node))} <tspan class="muted">{numberOf(node.value)}</tspan>
              </text>
              <title>{`${nameOf(node)}: ${numberOf(node.value)}`}</title>
            </Linked>
          );
        })}
      </svg>
    </div>
  );
}

interface LinkedProps {
  readonly href: string | undefined;
  readonly label: string;
  readonly tabIndex?: number;
  readonly children: ComponentChildren;
}

/** A part of a drawing that leads somewhere. */
function Linked({ href, label, tabIndex, children }: LinkedProps): JSX.Element {
  if (href === undefined) return <g>{children}</g>;
  return (
    <Link href={href} aria-label={label} tabIndex={tabIndex}>
      {children}
    </Link>
  );
}

function nameOf({ dimension, label }: FlowNode): string {
  return wordsOf(dimension, label);
}

function shortened(text: string): string {
  return text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
}

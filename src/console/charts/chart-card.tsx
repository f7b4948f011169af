import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { csvOf } from '../ui/csv.js';
import { download } from '../ui/download.js';
import { announce } from '../ui/toasts.js';
import { Table } from './figures-table.js';
import { useKnownHistory, type KnownHistory } from './known-history.js';
import { useOrigin, type Origin } from './origin.js';
import { drawingOf, pngOf } from './picture.js';
import type { ChartTable } from './table.js';
import { TableSwitch } from '../ui/table-switch.js';

export interface ChartCardProps {
  readonly title: string;
  /** What the chart says, in a sentence: for those who do not see it, and for those in a hurry. */
  readonly summary: ComponentChildren;
  /** The same figures, for "as a table" and the CSV file. */
  readonly table: ChartTable;
  /** Makes a drawing of a chart that is not an SVG element on the page (see `pngOf`). */
  readonly draw?: () => SVGSVGElement;
  /** A button that shows how a program asks for the figures. */
  readonly query: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of a chart: heading, summary, the chart or its table, and downloads. */
export function ChartCard({ title, summary, table, draw, query, children }: ChartCardProps): JSX.Element {
  const [asTable, setAsTable] = useState(false);
  const figure = useRef<HTMLElement>(null);
  const known = useKnownHistory();
  const origin = useOrigin();
  const id = useId();
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const file = origin === null ? name : `${name}-${origin.days}`;

  const savePicture = async (): Promise<void> => {
    const drawing = draw?.() ?? (figure.current === null ? null : drawingOf(figure.current));
    if (drawing === null) return;
    try {
      const lines = [...(origin?.lines ?? []), ...(known === null ? [] : [known.short])];
      download(`${file}.png`, 'image/png', await pngOf(title, drawing, lines));
    } catch {
      announce('This browser cannot make a picture of the chart.');
    }
  };

  return (
    <section class="card chart" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        <div class="chart-actions">
          <TableSwitch asTable={asTable} back="As a chart" onChange={setAsTable} />
          <button
            type="button"
            class="quiet"
            aria-label={`Download ${title} as CSV`}
            onClick={() => {
              // Spreadsheets recognize UTF-8 by the byte order mark.
              download(`${file}.csv`, 'text/csv', `\uFEFF${fileOf(table, known, origin)}`);
            }}
          >
            CSV
          </button>
          {!asTable && (
            <button
              type="button"
              class="quiet"
              aria-label={`Download ${title} as PNG`}
              onClick={() => {
                void savePicture();
              }}
            >
              PNG
            </button>
          )}
          {query}
        </div>
      </div>
      <p class="muted">
        {summary} {known?.sentence}
      </p>
      {asTable ? <Table table={table} label={`${title}, as a table`} /> : <figure ref={figure}>{children}</figure>}
    </section>
  );
}

/**
 * The table as CSV, with columns for what is known of the figures and for their calendar, where either is unusual, and for
 * the time up to which everything was read.
 */
function fileOf({ columns, rows }: ChartTable, known: KnownHistory | null, origin: Origin | null): string {
  const asOf = origin?.asOf ?? null;
  const added = [...(known?.columns ?? []), ...(asOf === null ? [] : ([['As of', asOf]] as const))];
  return csvOf(
    [...columns, ...added.map(([heading]) => heading)],
    rows.map((row) => [...row, ...added.map(([, value]) => value)]),
  );
}

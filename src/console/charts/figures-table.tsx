import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import type { ChartTable } from './table.js';
import { dayOf, numberOf } from './words.js';

/** The figures of a chart. It scrolls, also with the keyboard. @param label its name for screen readers */
export function Table({ table, label }: { table: ChartTable; label: string }): JSX.Element {
  const { columns, rows, hrefOf, isByDay = false } = table;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column} scope="col" class={isNumeric(rows, at) ? 'number' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={isNumeric(rows, column) ? 'number' : undefined}>
                  <Cell
                    cell={isByDay && column === 0 && typeof cell === 'string' ? dayOf(cell) : cell}
                    href={hrefOf?.(at, column)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isNumeric(rows: ChartTable['rows'], column: number): boolean {
  return rows.some((row) => typeof row[column] === 'number');
}

function Cell({ cell, href }: { cell: string | number | null; href: string | undefined }): JSX.Element {
  if (typeof cell !== 'number') return <>{cell ?? '–'}</>;
  return href === undefined || cell === 0 ? <>{numberOf(cell)}</> : <Link href={href}>{numberOf(cell)}</Link>;
}

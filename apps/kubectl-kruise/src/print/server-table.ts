/** Tables that the API server makes of objects (meta.k8s.io Table). */
import { isJsonObject, memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import { alignTabs } from './tab-writer.ts';

const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
};

/** How a table is shown. */
export interface TableLayout {
  /** Also columns of lower priority. */
  readonly wide: boolean;
  /** A column with the namespace first. */
  readonly namespaces: boolean;
}

/** @returns '' for a table without rows, or what is no table */
export function serverTableText(table: unknown, { wide, namespaces }: TableLayout): string {
  if (!isJsonObject(table) || table['kind'] !== 'Table') return '';
  const shown = objectsAt(table, 'columnDefinitions').flatMap((column, index) =>
    wide || (numberAt(column, 'priority') ?? 0) === 0 ? [{ index, name: (stringAt(column, 'name') ?? '').toUpperCase() }] : [],
  );
  const rows = objectsAt(table, 'rows');
  if (rows.length === 0) return '';
  const line = (namespace: string, cells: readonly string[]): string => [...(namespaces ? [namespace] : []), ...cells].join('\t');
  const body = rows.map((row) => {
    const cells = Array.isArray(row['cells']) ? (row['cells'] as readonly unknown[]) : [];
    return line(
      stringAt(memberAt(row, 'object'), 'metadata', 'namespace') ?? '',
      shown.map(({ index }) => cellText(cells[index])),
    );
  });
  return alignTabs(
    [
      line(
        'NAMESPACE',
        shown.map(({ name }) => name),
      ),
      ...body,
      '',
    ].join('\n'),
    3,
  );
}

/** Dashboards as Grafana's JSON model, schema version 39 (Grafana 10.4 and newer read it). */

interface Query {
  readonly expr: string;
  /** Name of each series, with labels as `{{label}}`. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** Of Grafana's list of units, such as `s`, `reqps`, `percentunit`, `bytes`, `none`. */
  readonly unit: string;
  /** A `table` shows the last value of each series, and all its labels. */
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly queries: readonly Query[];
  /** Columns of 24; 12 by default, 24 for a table. */
  readonly width?: number;
  /** Shown when the user points at the title. */
  readonly description?: string;
}

interface Variable {
  readonly name: string;
  readonly label: string;
  /** PromQL of Grafana: `label_values(metric, label)`. */
  readonly query: string;
  /** Whether several values, or all, may be chosen: as in `label=~"$name"`. */
  readonly multi: boolean;
}

export interface Dashboard {
  /** Part of the address of the dashboard, and the name of its file. */
  readonly uid: string;
  readonly title: string;
  /** In the order in which they are chosen. */
  readonly variables?: readonly Variable[];
  /** In reading order. */
  readonly panels: readonly Panel[];
}

/** A panel with one query over time. */
export const graph = (title: string, unit: string, expr: string, legend: string): Panel => ({
  title,
  unit,
  kind: 'timeseries',
  queries: [{ expr, legend }],
});

/** A panel with single numbers. */
export const stat = (title: string, unit: string, expr: string, legend = ''): Panel => ({
  title,
  unit,
  kind: 'stat',
  queries: [{ expr, legend }],
});

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;
const height = 8;
const widthOf = ({ kind, width }: Panel): number => width ?? (kind === 'table' ? columns : columns / 2);

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** From left to right, in rows of equal height. */
function placesOf(panels: readonly Panel[]): readonly Place[] {
  let [x, y] = [0, 0];
  return panels.map((panel) => {
    const w = widthOf(panel);
    if (x + w > columns) [x, y] = [0, y + height];
    const place = { x, y, w, h: height };
    x += w;
    return place;
  });
}

const refId = (at: number): string => String.fromCharCode(65 + at);

const targetsOf = ({ kind, queries }: Panel): readonly object[] =>
  queries.map(({ expr, legend }, at) => ({
    refId: refId(at),
    datasource,
    expr,
    ...(kind === 'table' ? { instant: true, range: false, format: 'table' } : { legendFormat: legend }),
  }));

/** Several queries of a table become one list, without the time of the query. */
const tableTransformations = [
  { id: 'merge', options: {} },
  { id: 'organize', options: { excludeByName: { Time: true }, indexByName: {}, renameByName: {} } },
];

const panelOf = (panel: Panel, index: number, gridPos: Place): object => ({
  id: index + 1,
  title: panel.title,
  ...(panel.description === undefined ? {} : { description: panel.description }),
  type: panel.kind,
  datasource,
  gridPos,
  fieldConfig: { defaults: { unit: panel.unit, ...(panel.kind === 'table' ? {} : { min: 0 }) }, overrides: [] },
  ...(panel.kind === 'table' ? { transformations: tableTransformations } : {}),
  targets: targetsOf(panel),
});

const variableOf = ({ name, label, query, multi }: Variable): object => ({
  name,
  label,
  type: 'query',
  datasource,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
  multi,
  includeAll: multi,
  ...(multi ? { allValue: '.*', current: { text: ['All'], value: ['$__all'] } } : {}),
});

/** @param description names the source of the generated file */
export function dashboardModel({ uid, title, variables = [], panels }: Dashboard, description: string): object {
  const places = placesOf(panels);
  return {
    uid,
    title,
    description,
    tags: ['kruise'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }, ...variables.map(variableOf)],
    },
    panels: panels.map((panel, index) => panelOf(panel, index, places[index]!)),
  };
}

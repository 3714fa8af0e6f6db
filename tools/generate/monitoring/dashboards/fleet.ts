/** All workloads of a cluster or of some namespaces, those that need attention first. */
import { type Dashboard, graph, type Panel } from '../grafana.ts';
import { ours } from '../queries.ts';
import { type FleetKind, fleetKinds, notReady, notUpdated, perObject } from '../stuck.ts';

const only = ',namespace=~"$namespace"';

/** Gives the series of every kind the same labels, so that they are rows of one table. */
const asRow = (expr: string, { kind, label }: FleetKind, reason: string): string =>
  `label_replace(label_replace(label_replace(${expr}, "name", "$1", "${label}", "(.*)"), "kind", "${kind}", "", ""), "reason", "${reason}", "", "")`;

const blocked = (kind: FleetKind): string => `${perObject(kind, 'status_condition', `${only},condition="Blocked",status="true"`)} > 0`;
const notObserved = (kind: FleetKind): string =>
  `${perObject(kind, 'metadata_generation', only)} - ${perObject(kind, 'status_observed_generation', only)} > 0`;

/** One row of the table for each reason; the value is a number of Pods, or of changes that the controller has not seen. */
const attention = (kind: FleetKind): string =>
  [
    asRow(`(${blocked(kind)})`, kind, 'blocked'),
    asRow(`(${notReady(kind, only)})`, kind, 'Pods not ready'),
    asRow(`(${notUpdated(kind, only)})`, kind, 'Pods not updated'),
    asRow(`(${notObserved(kind)})`, kind, 'spec not observed'),
  ].join(' or ');

const totals = (title: string, metric: (kind: FleetKind) => string): Panel => ({
  title,
  unit: 'none',
  kind: 'timeseries',
  queries: fleetKinds.map((kind) => ({ expr: `sum(${perObject(kind, metric(kind), only)})`, legend: kind.kind })),
});

export const fleet: Dashboard = {
  uid: 'kruise-fleet',
  title: 'Kruise / fleet',
  variables: [
    {
      name: 'namespace',
      label: 'Namespace',
      query: `label_values({__name__=~"kruise_.*_metadata_generation",${ours}}, namespace)`,
      multi: true,
    },
  ],
  panels: [
    {
      title: 'Needs attention',
      description:
        'Workloads of which Pods are not ready or not updated, that a condition Blocked explains, or whose last change no controller has seen. Paused updates, partitions and OnDelete are not counted as updates that are missing.',
      unit: 'none',
      kind: 'table',
      queries: fleetKinds.map((kind) => ({ expr: attention(kind), legend: '' })),
    },
    {
      title: 'Workloads',
      unit: 'none',
      kind: 'stat',
      queries: fleetKinds.map((kind) => ({ expr: `count(${perObject(kind, 'created', only)})`, legend: kind.kind })),
    },
    {
      title: 'Paused updates',
      unit: 'none',
      kind: 'stat',
      queries: fleetKinds.map((kind) => ({ expr: `sum(${perObject(kind, 'spec_strategy_paused', only)})`, legend: kind.kind })),
    },
    totals('Desired Pods', ({ desired }) => desired),
    totals('Ready Pods', ({ ready }) => ready),
    totals('Available Pods', ({ available }) => available),
    totals('Updated Pods', ({ updated }) => updated),
    ...fleetKinds.map((kind) =>
      graph(
        `Pods that are not available: ${kind.kind}`,
        'none',
        `topk(20, ${perObject(kind, kind.desired, only)} - ${perObject(kind, kind.available, only)})`,
        `{{namespace}}/{{${kind.label}}}`,
      ),
    ),
    graph(
      'Containers that are being recreated',
      'none',
      `sum by (namespace) (kruise_containerrecreaterequest_recreating{${ours}${only}})`,
      '{{namespace}}',
    ),
  ],
};

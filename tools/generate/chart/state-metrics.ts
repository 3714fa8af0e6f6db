/**
 * What follows from the tables of kruise-state-metrics: the rights of its chart, the reference of its metrics, and the configuration with which
 * kube-state-metrics exports a part of them.
 */
import type { ConfiguredSource, Family } from '../../../apps/state-metrics/src/families/family.ts';
import { resourceKinds } from '../../../apps/state-metrics/src/families/all-kinds.ts';
import type { ResourceKind } from '../../../apps/state-metrics/src/families/resource-kind.ts';
import { withHashOrigin, withMarkdownOrigin, withTemplateOrigin, type Generator } from '../generator.ts';
import { toYaml } from '../yaml.ts';

const source = 'apps/state-metrics/src/families';
const chartFolder = 'charts/kruise-state-metrics/templates/generated';
const pageFolder = 'docs/reference/metrics/generated';
const configurationFolder = 'deploy/kube-state-metrics/generated';

/** The right to read every kind that can be exported, and nothing else. */
export const stateMetricsRules = (): readonly object[] =>
  [...Map.groupBy(resourceKinds, ({ types }) => types[0]?.group ?? '')].map(([group, kinds]) => ({
    apiGroups: [group],
    resources: kinds.map(({ resource }) => resource),
    verbs: ['get', 'list', 'watch'],
  }));

const objectWith = (members: readonly (readonly [string, unknown])[]): object => Object.fromEntries(members);

/** One metric of kube-state-metrics for the object or for each element of a list. */
function metricOf(configured: ConfiguredSource): object {
  switch (configured.kind) {
    case 'Number':
      return { type: 'Gauge', gauge: { path: configured.path, nilIsZero: configured.nilIsZero } };
    case 'Conditions':
      return {
        type: 'StateSet',
        stateSet: {
          path: configured.path,
          labelsFromPath: { condition: ['type'] },
          labelName: 'status',
          valueFrom: ['status'],
          list: ['True', 'False', 'Unknown'],
        },
      };
    case 'Text':
      return { type: 'Info', info: { labelsFromPath: objectWith([[configured.label, configured.path]]) } };
    case 'States':
      return { type: 'StateSet', stateSet: { labelName: configured.label, path: configured.path, list: configured.states } };
  }
}

function configurationOf({ types, label, namespaced, families }: ResourceKind): readonly object[] {
  const [type] = types;
  if (type === undefined) return [];
  const { group, version, kind } = type;
  const prefix = `kruise_${label}`;
  const metrics = families.flatMap(({ name, help, configured }) =>
    configured === undefined ? [] : [{ name: name.slice(prefix.length + 1), help, each: metricOf(configured) }],
  );
  const namespace = namespaced ? ([['namespace', ['metadata', 'namespace']]] as const) : [];
  return [
    {
      groupVersionKind: { group, version, kind },
      metricNamePrefix: prefix,
      labelsFromPath: objectWith([...namespace, [label, ['metadata', 'name']]]),
      metrics,
    },
  ];
}

/** For `--custom-resource-state-config-file` of kube-state-metrics. */
export const customResourceState = (): object => ({
  kind: 'CustomResourceStateMetrics',
  spec: { resources: resourceKinds.flatMap(configurationOf) },
});

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** How far the configuration of kube-state-metrics gives a family. */
function configuredAs({ configured }: Family): string {
  switch (configured?.kind) {
    case undefined:
      return 'no';
    case 'Number':
    case 'States':
      return 'yes';
    case 'Conditions':
      return 'with `True`, `False`, `Unknown`';
    case 'Text':
      return 'with the value 1';
  }
}

const row = (family: Family): string => `| \`${family.name}\` | ${cell(family.help)} | ${configuredAs(family)} |\n`;

function sectionOf({ resource, types, label, namespaced, byDefault, families }: ResourceKind): string {
  const served = types.map(({ version }) => version).join(', else ');
  const facts = [
    byDefault ? 'Exported by default.' : `Exported with \`--resources\` only.`,
    `Label of the name: \`${label}\`.`,
    ...(namespaced ? [] : ['Cluster-scoped: the label `namespace` is empty.']),
    `Version: ${served}.`,
  ];
  return `\n## ${resource}\n\n${facts.join(' ')}\n\n| Metric | Meaning | custom-resource-state |\n| --- | --- | --- |\n${families.map(row).join('')}`;
}

const introduction = `# Metrics of objects

Every metric of [kruise-state-metrics](../../../state-metrics.md), in the order of its output. All are gauges, and each has the labels \`namespace\` and that of the name
of the object. The last column says whether the configuration for kube-state-metrics gives the metric as well.
`;

export const stateMetricsGenerator: Generator = {
  name: 'kruise-state-metrics',
  folders: [chartFolder, pageFolder, configurationFolder],
  files: () => [
    {
      path: `${chartFolder}/_rules.tpl`,
      content: withTemplateOrigin(source, `{{- define "kruise-state-metrics.rules" -}}\n${toYaml(stateMetricsRules())}{{- end }}\n`),
    },
    { path: `${pageFolder}/state-metrics.md`, content: withMarkdownOrigin(source, introduction + resourceKinds.map(sectionOf).join('')) },
    { path: `${configurationFolder}/custom-resource-state.yaml`, content: withHashOrigin(source, toYaml(customResourceState())) },
  ],
};

/** Everything that decides what is exported, read once at start. */
import { formatUsage, parseFlags, type ReadProgramOptions } from '@kruise/process';
import { resourceKinds } from '../families/all-kinds.ts';
import type { AllowedKeys } from '../families/family.ts';
import type { ResourceKind } from '../families/resource-kind.ts';
import type { Sharding } from '../sharding/shard-of.ts';
import { portFault, stateMetricsFlags, type StateMetricsFlags } from './flags.ts';
import { chooseResources, familyFilter, itemsOf, keysByResource, type KeysByResource, type Read } from './lists.ts';
import { versionLine } from './version.ts';

/** A kind with the families and keys that the flags leave of it. */
export interface ExportedKind {
  readonly kind: ResourceKind;
  readonly allowed: AllowedKeys;
}

export interface Options {
  readonly flags: StateMetricsFlags;
  /** In the order of the output. */
  readonly exported: readonly ExportedKind[];
  /** Empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** As the flags say; automatic sharding takes its place. */
  readonly sharding: Sharding;
  /** The Pod whose StatefulSet decides the shard; undefined without automatic sharding. */
  readonly pod: { readonly namespace: string; readonly name: string } | undefined;
  readonly warnings: readonly string[];
}

export type ReadOptions = ReadProgramOptions<Options>;

const end = (code: 0 | 1 | 2, ...lines: readonly string[]): ReadOptions => ({ kind: 'End', code, output: lines.join('\n') });

function shardFaults({ shard, 'total-shards': total }: StateMetricsFlags): readonly string[] {
  return [
    ...(total < 1 ? [`--total-shards must be 1 or more, not ${total}`] : []),
    ...(shard < 0 || (total >= 1 && shard >= total) ? [`--shard must be from 0 to --total-shards - 1, not ${shard}`] : []),
  ];
}

const whyOf = (result: Read<unknown>): readonly string[] => (result.kind === 'Faulty' ? [result.why] : []);

function unknownResources(flag: string, keys: KeysByResource): readonly string[] {
  const unknown = [...keys.keys()].filter((name) => !resourceKinds.some(({ resource }) => resource === name));
  return unknown.map((name) => `--${flag} names ${name}, which is not a resource`);
}

function podOf({ pod, 'pod-namespace': namespace }: StateMetricsFlags): Options['pod'] {
  return pod === '' || namespace === '' ? undefined : { namespace, name: pod };
}

function optionsOf(flags: StateMetricsFlags): ReadOptions {
  const resources = chooseResources(flags.resources, resourceKinds);
  const filter = familyFilter(flags['metric-allowlist'], flags['metric-denylist']);
  const labels = keysByResource('metric-labels-allowlist', flags['metric-labels-allowlist']);
  const annotations = keysByResource('metric-annotations-allowlist', flags['metric-annotations-allowlist']);
  const faults = [
    ...portFault('port', flags.port),
    ...portFault('telemetry-port', flags['telemetry-port']),
    ...[resources, filter, labels, annotations].flatMap(whyOf),
    ...shardFaults(flags),
    ...(['text', 'json'].includes(flags['logging-format'])
      ? []
      : [`--logging-format must be text or json, not "${flags['logging-format']}"`]),
  ];
  if (
    resources.kind === 'Faulty' ||
    filter.kind === 'Faulty' ||
    labels.kind === 'Faulty' ||
    annotations.kind === 'Faulty' ||
    faults.length > 0
  )
    return end(1, ...faults);
  const exported = resources.value.map((kind) => ({
    kind: { ...kind, families: kind.families.filter(({ name }) => filter.value(name)) },
    allowed: { labels: labels.value.get(kind.resource) ?? [], annotations: annotations.value.get(kind.resource) ?? [] },
  }));
  const warnings = [
    ...unknownResources('metric-labels-allowlist', labels.value),
    ...unknownResources('metric-annotations-allowlist', annotations.value),
    ...((flags.pod === '') === (flags['pod-namespace'] === '')
      ? []
      : ['--pod and --pod-namespace are used together only: the shard is that of --shard']),
  ];
  const sharding = { shard: flags.shard, totalShards: flags['total-shards'] };
  return { kind: 'Run', options: { flags, exported, namespaces: itemsOf(flags.namespaces), sharding, pod: podOf(flags), warnings } };
}

/** @param argv without program and script */
export function readOptions(argv: readonly string[]): ReadOptions {
  const usage = (): string => formatUsage('kruise-state-metrics', stateMetricsFlags);
  const parsed = parseFlags(stateMetricsFlags, argv);
  if (parsed.kind === 'Help') return end(0, usage());
  if (parsed.kind === 'Failed') return end(2, parsed.message, usage());
  if (parsed.values.version) return end(0, versionLine);
  return optionsOf(parsed.values);
}
